"""python -m pe_lessons.models path/to/config.json"""

import sys

from pe_lessons.models import main

sys.exit(main())
