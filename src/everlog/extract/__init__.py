"""Extraction: from a blog's feed and pages to a template, and from a page and the template to a post.

    learn_blog, samples        learning a template from a feed and the pages of its entries
    template, read_post        reading a page with it: a Post, or a Skip with its reason
    article/                   where the article stands, and what inside it is not article
    fields/                    title, authors, dates, tags, language, summary: learn and read side by side
    extractors/                selector, key-path, DiffPost, line classifier behind one interface
    classify/                  which pages are posts
    feedless/                  blogs without a feed

Begin with `template`: it says what is learned, and `read` is the whole way of a page.
"""
