"""nbgrader's settings for a class; `python course.py classroom FOLDER` copies them into its folder."""

import warnings

c = get_config()  # noqa: F821 (nbgrader defines it)

c.CourseDirectory.course_id = "pe_lessons"

# The committed notebooks are the assignment as it is; this would write over the signatures of the stubs.
c.ClearSolutions.enabled = False
# A check cell that a learner deleted or changed is put back before grading.
c.OverwriteCells.add_missing_cells = True
# Seconds for which one cell may compute, whatever else the machine does; on the clock it may take five times
# as long, if it computes. The slowest of the course takes a few; an endless loop outside a function ends so.
c.Execute.timeout = 60
# Without this every kernel warns of its local sockets.
c.Execute.extra_arguments = ["--log-level=ERROR"]

# Formgrader would show these settings, and warn in the terminal that some of them cannot be shown.
c.FormgradeExtension.debug = False

# nbgrader 0.9 makes SQLAlchemy warn of every new learner; nothing is wrong.
warnings.filterwarnings("ignore", message="Object of type <Submitted")
