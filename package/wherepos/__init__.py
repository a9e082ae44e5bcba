"""What a language model does with positions: in its config, in the model, and in a server.

    wherepos config.json       # what each layer does; a folder or the name of a known config will do, too
    wherepos diff A B          # two configs
    wherepos ask_mine.py       # are the positions of this model right? It needs PyTorch
    wherepos http://localhost:8000 http://localhost:8001    # a server, and one that is right

`wherepos --help` followed by a file or an address explains that command: `wherepos --help config.json` lists
the known configs.
"""
