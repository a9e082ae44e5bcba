"""Reads a model's `config.json` and says what its positions do, layer by layer.

    python -m pe_lessons.models config.json
    python -m pe_lessons.models diff gemma-2-9b path/to/folder

The file may be in the old spelling (`rope_theta`, `rope_scaling`) or the new one (`rope_parameters`, nested
by the type of layer). What it leaves to the code of the model is looked up in `known_config_keys`, whose
tables were read line by line in transformers 5.23.0; what they do not know is named, and nothing is guessed.
A type that is neither there nor in the gallery is read by its keys alone, and a warning says so.

A folder with a config.json or the name of a config of the gallery will do, too. The exit status is 0
if all of it is understood, warnings or not, and 2 if a file cannot be read, a value cannot be right, or
something is not known.
"""

from pe_lessons.models.consistency import understood, warnings
from pe_lessons.models.known_config_keys import BASES, DEFAULTS, GALLERY, KINDS, READ_AGAINST_THE_LIBRARY
from pe_lessons.models.reader import Layer, gallery, layers, length
from pe_lessons.models.words import diff, explain, main

__all__ = [
    "BASES", "DEFAULTS", "GALLERY", "KINDS", "READ_AGAINST_THE_LIBRARY", "Layer", "diff", "explain",
    "gallery", "layers", "length", "main", "understood", "warnings",
]  # fmt: skip
