"""How blog engines write their comments. A new engine is one more Markup in KNOWN.

The markup is that of the templates which the engines ship, and of the functions that themes call
(WordPress's `wp_list_comments` and `comment_class`); names that themes like to invent stand behind it.
"""

from __future__ import annotations

from everlog.comments.comment_markup import Markup

# What designs put into a comment that is not what its writer wrote.
CUT = (
    ".comment-author, .comment-meta, .commentmetadata, .comment-metadata, .comment-header, .comment-info",
    ".comment-date, .comment-time, .comment-footer, .comment-head, .comment_author, .commentauthor",
    ".vcard, .says, .avatar, .comment-avatar, .screen-reader-text, .badge, .children",
    ".reply, .comment-reply, .comment-reply-link, .comment-reply-login, .comment-edit-link, .edit-link",
    ".comment-actions, .comment-tools, .comment-respond, #respond, .comment-permalink",
    ".comment-awaiting-moderation, .awaiting-moderation, .moderation",
    ".sharedaddy, .comment-likes, .comment-like, .comment-rating, .comment-vote, .ckrating, .cld-like-dislike-wrap",
)
# Paragraphs and what stands between them. `ul.children` holds answers.
_BLOCKS = ":is(p, blockquote, ul, ol, pre, h1, h2, h3, h4, h5, h6, table, figure):not(.children)"
# Ids with a number behind the name: `comment-form` and `comment-list` are no comments.
_NUMBERED = "[id^='comment-']:numbered, [id^='li-comment-']:numbered, [id^='div-comment-']:numbered"
# What `comment_class` writes, on whatever element a theme puts it.
_CLASSED = ":is(.comment, .pingback, .trackback)[class*='depth-']"
NAMED_TEXT = (
    ".comment-content, .comment-text, .comment_text, .commenttext, .comment-entry, .commententry, .commentcontent, "
    ".comment_content, .comment-message, .comment-copy, .commentbody, .comment_body, [itemprop=text], "
    ".comment-body"
)
NAMED_AUTHOR = (
    ".comment-author .fn, .comment-author-name, .fn, .comment-author cite, .commentauthor, .comment_author, cite, "
    ".comment-author, .comment-name, .author-name, .author_name, [itemprop=author], .author, .user, "
    ".username, .name, a.url, a[rel~=external], [class*='author'], [class*='name']"
)
NAMED_DATE = (
    "time[datetime], [itemprop=datePublished], .comment-metadata time, .comment-date, .comment-time, .comment_date, "
    ".commentdate, .comment_time, .comment-timestamp, .comment-metadata, .comment-meta, .commentmetadata, time, .date, "
    ".datetime, .timestamp, .time, .published, a[href*='#comment-'], [class*='date'], [class*='time'], "
    "[class*='meta'], small"
)

WORDPRESS = Markup(
    name="wordpress",
    comment=f"li:is(.comment, .pingback, .trackback), {_CLASSED}, {_NUMBERED}",
    text=(
        f"{NAMED_TEXT}, li > {_BLOCKS}, article > {_BLOCKS}, :is(.comment, .pingback, .trackback) > {_BLOCKS}, "
        f"li.comment, {_CLASSED}, {_NUMBERED}"
    ),
    author=NAMED_AUTHOR,
    date=NAMED_DATE,
    permalink="a[href*='#comment-']",
    depth="depth-",
    cut=CUT,
)
# Themes before `wp_list_comments`, and those that still do without it.
OLD_WORDPRESS = Markup(
    name="wordpress",
    comment=".commentlist > li, #commentlist > li, .commentlist > .comment",
    text=f"{NAMED_TEXT}, li > {_BLOCKS}, .commentlist > li, #commentlist > li",
    author=NAMED_AUTHOR,
    date=NAMED_DATE,
    permalink="a[href*='#comment-']",
    depth="depth-",
    cut=CUT,
)
BLOGGER = Markup(
    name="blogger",
    comment="#comment-holder li.comment, .comment-thread li.comment",
    text=".comment-content",
    author="cite.user, cite",
    date=".datetime, .comment-timestamp",
    permalink="a[href*='#c']",
    cut=(".comment-actions",),
)
OLD_BLOGGER = Markup(
    name="blogger",
    comment="#comments-block > dt, #comments-block > .comment-author, #comments > dl > dt",
    text=".comment-body, dd > p, dd",
    author="dt",
    date=".comment-timestamp, .comment-footer",
    permalink=".comment-timestamp a[href*='#'], .comment-footer a[href*='#']",
    id="@id",
    cut=(".deleted-comment",),
)
MOVABLE_TYPE = Markup(
    name="movable-type",
    comment=(
        ".comments-content > .comment, .comments-content > article, .comments-body, "
        ".comment[id^='c']:not([id^='comment'])"
    ),
    text=(
        f".comment-content, .comment-body, .comment > {_BLOCKS}:not(.comment-footer), .comments-body > p, "
        f"article > {_BLOCKS}"
    ),
    author=".byline .author, .vcard.author, .comment-footer, .comments-post, header h3, .author",
    date="abbr.published, time, .comment-footer, .comments-post, .comment-header, .byline",
    permalink="a[href*='#comment-'], .comment-footer a[href*='#c']",
    cut=(".comment-footer, .comments-post, .comment-header",),
)
# The individual archive that Movable Type 3 shipped with.
_ANCHORED = "h2#comments ~ div[id^='c']:numbered"
OLD_MOVABLE_TYPE = Markup(
    name="movable-type",
    comment=_ANCHORED,
    text=_ANCHORED,
    author=".posted",
    date=".posted",
    permalink=".posted a[href*='#c']",
)
MICROFORMATS = Markup(
    name="h-cite",
    comment=".u-comment, .p-comment, .h-cite.comment, .comment.h-entry",
    text=".e-content, .p-content, .p-summary, .e-entry-content, .p-name",
    author=".p-author .p-name, .h-card .p-name, .p-author, .h-card",
    author_url=".p-author .u-url, .h-card .u-url, a.p-author, a.h-card",
    date=".dt-published, time",
    permalink="a.u-url:not(.p-author):not(.h-card)",
    cut=CUT,
)
SCHEMA_ORG = Markup(
    name="schema.org",
    comment="[itemprop=comment], [itemtype$='schema.org/Comment'], [itemtype$='schema.org/UserComments']",
    text="[itemprop=text], [itemprop=commentText], [itemprop=description], [itemprop=articleBody]",
    author=(
        "[itemprop=author] [itemprop=name], [itemprop=creator] [itemprop=name], [itemprop=author], [itemprop=creator]"
    ),
    date=(
        "[itemprop=dateCreated], [itemprop=datePublished], [itemprop=commentTime], time[datetime], time, "
        "[class*='date'], [class*='time']"
    ),
    permalink="[itemprop=url][href*='#'], a[href*='#comment'], [itemprop=replyToUrl]",
    cut=CUT,
)
DRUPAL = Markup(
    name="drupal",
    comment="article.js-comment, .comment",
    text=(
        ".field-name-comment-body, .field--name-comment-body, .comment__content .field, .comment__content, "
        ".comment .content"
    ),
    author=".comment__author .username, .username, .commenter-name, .comment__author, .author, .submitted",
    date="[property~='dc:created'], .comment__time, .comment-time, .comment-date, time, .submitted, .date",
    permalink="a.permalink, .comment__permalink a, a[href*='#comment-']",
    cut=(".links, .user-signature, .new, .submitted, .comment__links", *CUT),
)
SERENDIPITY = Markup(
    name="serendipity",
    comment=".serendipity_comment",
    text=".serendipity_commentBody, .comment_content",
    author=".comment_source_author, cite, .serendipity_comment_source b",
    author_url="a.comment_source_url, cite a",
    date=".comment_source_date, time, .commentmetadata, .serendipity_comment_source",
    permalink="a.comment_source_trace, a[href*='#c']",
    cut=(".comment_reply, .commentmetadata",),
)
DOTCLEAR = Markup(
    name="dotclear",
    comment="#comments > dl > dt[id^='c'], .comments > dl > dt[id^='c']",
    text="dd",
    author="dt[id^='c']",
    date="dt[id^='c']",
    permalink="a.comment-number, a[href*='#c']",
    cut=(".comment-number",),
)
B2EVOLUTION = Markup(
    name="b2evolution",
    comment=".bComment, .evo_comment",
    text=".bCommentText, .evo_comment_text",
    author=".evo_comment_title .user, .user, .bUser-anonymous-tag, .bCommentTitle, .evo_comment_title",
    date=".evo_comment_footer time, .bCommentDate, .evo_comment__meta_info, .bCommentSmallPrint, .bCommentTitle, "
    ".evo_comment_title, .evo_comment_footer",
    permalink="a.permalink, a[href*='#c']",
    cut=(".bCommentSmallPrint, .evo_comment_footer",),
)
TEXTPATTERN = Markup(
    name="textpattern",
    comment="ol.comments > li, #comments-wrapper > li, .comments_wrapper > li, .comments > .comment",
    text=f"li > {_BLOCKS}:not(.small), .comment > {_BLOCKS}:not(.small), .comment__message, .comment-message",
    author=".comment__author, .comment-author, .author, p.small, small",
    date="time, .comment__time, .date, p.small, small",
    permalink="a[href*='#c']",
    cut=(".small",),
)
# Class names that speak for themselves, on blogs of any make.
PLAIN = Markup(
    name="page",
    comment=".comment-item, .comment_item, .comment, .commentitem, .single-comment, .comment-wrap, .comment-box",
    text=f"{NAMED_TEXT}, .content, .text, .message, .comment > {_BLOCKS}",
    author=NAMED_AUTHOR,
    date=NAMED_DATE,
    permalink="a[href*='#comment'], a[href*='#c'], a.permalink",
    cut=CUT,
)

# Of two markups that read a page equally well the first is taken: the particular before the general.
KNOWN = (
    BLOGGER, OLD_BLOGGER, SERENDIPITY, B2EVOLUTION, DOTCLEAR, MOVABLE_TYPE, OLD_MOVABLE_TYPE, DRUPAL, WORDPRESS,
    OLD_WORDPRESS, TEXTPATTERN, SCHEMA_ORG, MICROFORMATS, PLAIN,
)
