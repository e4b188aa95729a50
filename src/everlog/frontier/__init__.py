"""Where to go next: posts first, then the pages that seem to lead to most posts not known yet.

    url_shape        the shape of an address, and how far two shapes are apart
    neighbours       what the pages of a shape bring, estimated from those of the nearest shapes
    priority_queue   the order in which addresses are asked for, and when to stop; begin here
"""

from everlog.frontier.priority_queue import Frontier

__all__ = ["Frontier"]
