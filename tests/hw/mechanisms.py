"""The mechanisms of the machine that ablation.py switches off: (name, what to set so that it is gone)."""
MECHANISMS = [
    ("LDS port of the copy engine", {"lds.dma_port": "shared"}),
]
