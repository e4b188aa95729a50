// Runs in a world of its own in every frame: it sees the page's document, and the page does not see it.
(() => {
  "use strict";
  if (globalThis.everlog) return;

  // A place whose content was only replaced this often is a clock or a slide show, not a page that still loads.
  const TICKS = 5;
  const TURNS = 4;
  let stirred = performance.now();
  const ticks = new WeakMap();
  const watched = new WeakSet();
  const pressed = new WeakMap();

  const isTick = (record) => {
    const replaces = record.type === "characterData" || record.removedNodes.length > 0;
    if (!replaces && record.addedNodes.length > 0) return false;
    // A new text node stands in for the old one: the element around it stays.
    const place = record.type === "characterData" ? record.target.parentNode || record.target : record.target;
    const times = (ticks.get(place) || 0) + 1;
    ticks.set(place, times);
    return times > TICKS;
  };
  const see = (records) => {
    if (records.length && !records.every(isTick)) stirred = performance.now();
  };
  const observer = new MutationObserver(see);
  const watch = (root) => {
    if (watched.has(root)) return;
    watched.add(root);
    observer.observe(root, { childList: true, subtree: true, characterData: true });
  };
  watch(document);

  // The document and all shadow roots in it, outer ones first.
  const roots = () => {
    const found = [document];
    for (let at = 0; at < found.length; at++) {
      for (const element of found[at].querySelectorAll("*")) if (element.shadowRoot) found.push(element.shadowRoot);
    }
    return found;
  };
  const all = (selector) => roots().flatMap((root) => {
    try { return [...root.querySelectorAll(selector)]; } catch { return []; }
  });
  const above = (element) => element.parentElement || (element.getRootNode().host ?? null);
  const isShown = (element) => element.checkVisibility({ visibilityProperty: true }) && element.getClientRects().length > 0;
  const words = (element) => [element.innerText, element.value, element.ariaLabel, element.title]
    .filter((text) => typeof text === "string").join(" ").replace(/\s+/g, " ").trim();
  const isOff = (element) => element.disabled || element.ariaDisabled === "true" || element.ariaExpanded === "true";
  const pause = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));
  // After two frames were drawn: what comes into view is looked for at the end of one, in frames of other sites
  // later than in the page. What is not drawn has no animation frames: the clock goes on without them, at once
  // where it had to do so before.
  const frame = () => new Promise(requestAnimationFrame);
  let isDrawn = true;
  const drawn = async () => {
    const late = pause(isDrawn ? 2000 : 150).then(() => false);
    isDrawn = await Promise.race([frame().then(frame).then(() => pause(0)).then(() => true), late]);
  };

  // Clicks what can be clicked, each control once; again those that are as they were, if something came of it.
  const press = (elements, most, again) => {
    let clicks = 0;
    const now = [];
    for (const element of elements) {
      if (clicks >= most) break;
      if (!element.isConnected || isOff(element) || !isShown(element)) continue;
      const label = words(element).replace(/[\d.,]+/g, "");
      if (pressed.has(element) && !(again && pressed.get(element) === label)) continue;
      if (now.some((other) => other.contains(element) || element.contains(other))) continue;
      pressed.set(element, label);
      now.push(element);
      element.click();
      clicks++;
    }
    // What a click brings may come a moment later.
    if (clicks) stirred = performance.now();
    return clicks;
  };

  globalThis.everlog = {
    // Milliseconds since something was added or changed.
    since() {
      see(observer.takeRecords());
      roots().forEach(watch);
      // Scripts that were read wait for others to be compiled; a page that is never complete is not waited for long.
      const late = { loading: Infinity, interactive: 2000, complete: 0 }[document.readyState];
      return Math.max(performance.now() - stirred - late, 0);
    },

    // The same once it is enough, or once the time is over. The clock is the page's own, so a page that
    // waits for the processor does not seem to be at rest.
    async rest(quiet, longest, least) {
      const end = performance.now() + longest;
      // In turns, so that what waits for the processor with us has had it as often as we.
      for (let turn = 0; least > 0 && turn < TURNS; turn++) await pause(least / TURNS);
      for (;;) {
        const since = everlog.since(), left = end - performance.now();
        if (since >= quiet || left <= 0) return since;
        await pause(Math.min(Math.max(quiet - since, 10), Math.max(left, 1)));
      }
    },

    // How much there is: elements and letters.
    size() {
      let elements = 0, letters = 0;
      for (const root of roots()) {
        elements += root.querySelectorAll("*").length;
        letters += (root.documentElement || root).textContent.length;
      }
      return [elements, letters];
    },

    // Whether a service says anything: here I am, or I cannot.
    answered(ready, loading, trouble) {
      const shows = (selectors) => selectors.some((selector) => all(selector).some(isShown));
      if (shows(trouble)) return true;
      return ready.length === 0 || (ready.some((selector) => all(selector).length > 0) && !shows(loading));
    },

    press: (most, again, selectors) => press(selectors.flatMap(all), most, again),

    // The page's own "show more comments": buttons, and links that lead nowhere, in what calls itself comments.
    pressOwn(most, again, wanted, unwanted, around) {
      const more = new RegExp(wanted, "iu"), not = new RegExp(unwanted, "iu"), comments = new RegExp(around, "iu");
      const isNamed = (element) => comments.test((element.id || "") + " " + (element.getAttribute("class") || ""));
      const fits = (element) => {
        if (element.form || element.closest("form") || element.target === "_blank") return false;
        const href = element.getAttribute("href");
        if (href !== null && !/^\s*(#|javascript:|$)/i.test(href)) return false;
        const label = words(element);
        if (!label || label.length > 60 || !more.test(label) || not.test(label)) return false;
        for (let at = element; at && at !== document.body; at = above(at)) if (isNamed(at)) return true;
        return false;
      };
      return press(all("button, a, [role=button], input[type=button]").filter(fits), most, again);
    },

    height: () => document.documentElement?.scrollHeight ?? 0,

    // Scrolls over the elements and frames, screen by screen: what loads or draws itself when it comes into
    // view does so. Frames are first made as high as what is in them. Some scripts wait for any sign of a reader.
    async sweep(selectors, heights, most) {
      for (const kind of ["mousemove", "touchstart", "wheel", "scroll"]) {
        for (const target of [window, document]) target.dispatchEvent(new Event(kind));
      }
      const frames = Object.keys(heights).length ? all("iframe").filter((frame) => frame.src in heights) : [];
      for (const frame of frames) {
        const height = Math.min(heights[frame.src], most * innerHeight);
        if (height > frame.clientHeight + 10) frame.style.setProperty("height", height + "px", "important");
      }
      const elements = new Set([...selectors.map((selector) => all(selector)[0]).filter(Boolean), ...frames]);
      let screens = 0;
      for (const element of elements) {
        if (screens >= most || !element.getClientRects().length) continue;
        element.scrollIntoView({ block: "start", behavior: "instant" });
        await drawn();
        screens++;
        while (screens < most && element.getBoundingClientRect().bottom > innerHeight) {
          const before = scrollY;
          scrollBy({ top: innerHeight * 0.9, behavior: "instant" });
          await drawn();
          screens++;
          if (scrollY === before) break;
        }
      }
      if (screens) stirred = performance.now();
      return screens;
    },

    // Pictures that wait for the reader to come near need not wait in a screenshot.
    async load() {
      for (const picture of all("img[loading=lazy], iframe[loading=lazy]")) picture.loading = "eager";
      scrollTo({ top: 0, behavior: "instant" });
      await drawn();
    },

    // Forgets what the page stored; whether there was anything that only the browser can forget.
    async forget() {
      let kept = false;
      try { kept = localStorage.length > 0; localStorage.clear(); sessionStorage.clear(); } catch {}
      try { kept ||= (await indexedDB.databases()).length > 0; } catch {}
      try { kept ||= (await caches.keys()).length > 0; } catch {}
      return kept ? origin : null;
    },
  };
})();
