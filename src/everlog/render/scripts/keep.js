// Writes the document down: shadow roots as templates, frames as templates after their element. Runs last,
// in the same world as page.js, and changes the document on its way.
(() => {
  "use strict";
  if (globalThis.everlogKeep) return;

  const FRAME = "data-everlog-frame", RENDERED = "data-everlog-rendered";
  // Elements whose content is written without escapes.
  const RAW = "script, style, noscript, noembed, noframes, iframe";
  const shadows = () => {
    const found = [];
    const scan = (root) => {
      for (const element of root.querySelectorAll("*")) {
        if (element.shadowRoot) { found.push(element.shadowRoot); scan(element.shadowRoot); }
        if (element.localName === "template") scan(element.content);
      }
    };
    scan(document);
    return found;
  };
  const trees = () => {
    const found = [document, ...shadows()];
    for (let at = 0; at < found.length; at++) {
      for (const template of found[at].querySelectorAll("template")) found.push(template.content);
    }
    return found;
  };

  // What would end an element or a comment early when the text is read again, and with it the template around it.
  const EARLY = /<(?=\/(?:script|style|template)|!--)/gi;
  const tame = () => {
    for (const tree of trees()) {
      for (const element of tree.querySelectorAll("xmp, plaintext")) {
        const plain = document.createElement("pre");
        plain.textContent = element.textContent;
        element.replaceWith(plain);
      }
      for (const element of tree.querySelectorAll(RAW)) {
        const text = element.textContent;
        if (text.search(EARLY) < 0) continue;
        const escape = { script: "\\u003C", style: "\\3C " }[element.localName];
        element.textContent = escape ? text.replace(EARLY, escape) : "";
      }
      const comments = document.createNodeIterator(tree, NodeFilter.SHOW_COMMENT);
      const unsafe = [];
      for (let node; (node = comments.nextNode());) if (/--|-$|^-?>|<!/.test(node.data)) unsafe.push(node);
      for (const node of unsafe) node.remove();
    }
  };

  // Takes away the end of the document until it fits.
  const prune = (most) => {
    let room = most;
    const walker = document.createTreeWalker(document.documentElement, NodeFilter.SHOW_ALL);
    while (room > 0 && walker.nextNode()) {
      const node = walker.currentNode;
      if (node.nodeType !== Node.ELEMENT_NODE) {
        room -= node.data ? node.data.length : 0;
        continue;
      }
      room -= 5 + 2 * node.localName.length;
      for (const { name, value } of node.attributes) room -= name.length + value.length + 4;
      if (node.localName === "template") room -= node.innerHTML.length;
      if (node.shadowRoot) room -= node.shadowRoot.innerHTML.length;
    }
    for (let node = walker.currentNode; node && node !== document.documentElement;) {
      while (node.nextSibling) node.nextSibling.remove();
      const parent = node.parentNode;
      if (node === walker.currentNode) node.remove();
      node = parent;
    }
  };

  // The document in so many bytes of UTF-8, and whether it had to be cut.
  const cut = (most) => {
    let text = whole(), bytes = 0;
    const isTooMuch = () => 3 * text.length > most && (bytes = new TextEncoder().encode(text).length) > most;
    let tries = 0;
    for (; isTooMuch() && tries < 5; tries++) {
      // What is escaped when it is written was not counted.
      prune(Math.floor(0.9 ** tries * text.length * (most / bytes) - 100));
      text = whole();
    }
    return [text, tries > 0];
  };

  // The text is written in UTF-8, whatever the page came in.
  const declare = () => {
    for (const meta of document.querySelectorAll("meta[charset], meta[http-equiv=content-type i]")) meta.remove();
    const meta = document.createElement("meta");
    meta.setAttribute("charset", "utf-8");
    document.head?.prepend(meta);
  };

  // In a frame nothing may speak for the page around it.
  const withdraw = () => {
    if (document.querySelector("base[href]")) {
      for (const element of document.querySelectorAll("a[href], area[href]")) element.setAttribute("href", element.href);
      for (const element of document.querySelectorAll("img[src]")) element.setAttribute("src", element.src);
    }
    for (const element of document.querySelectorAll("base, title:not(svg *), meta:not([itemprop]), link:not([itemprop])")) {
      element.remove();
    }
  };

  const inner = (element) => element.getHTML({ shadowRoots: shadows() });
  const whole = () => inner(document.documentElement);
  const opening = () => document.documentElement.cloneNode(false).outerHTML.replace(/<\/html>$|\/>$/, "");

  globalThis.everlogKeep = {
    prepare() {},

    // Leaves a place for a frame's document behind its element.
    place(element, url, mark) {
      const template = document.createElement("template");
      template.setAttribute(FRAME, url);
      template.content.append(mark);
      element.after(template);
    },

    // [html, whether something was cut off]; a page is told from a frame by its state
    write(most, state) {
      const isPage = state !== null;
      if (isPage) declare(); else withdraw();
      tame();
      let [text, isCut] = cut(most);
      if (isPage) {
        document.documentElement.setAttribute(RENDERED, isCut ? "unsettled" : state);
        text = "<!DOCTYPE html>" + opening() + text + "</html>";
      } else if (document.body) {
        text = (document.head ? inner(document.head) : "") + inner(document.body);
      }
      return [text, isCut];
    },
  };
})();
