"""Sites made with real generators, written for these tests: `SITES` of `making.py` has them all.

    posts.py      what all of them say: a dozen posts, their pictures in every way that pages name pictures, comments
    pictures.py   the pictures, drawn by a few lines each
    designs/      what a generator is given besides the posts: settings, and designs of our own
    making.py     the sites: which generator, theme and oddities; built once into the cache
    serving.py    a site on two loopback addresses: its own, and one for fonts and pictures as a CDN would be
"""
