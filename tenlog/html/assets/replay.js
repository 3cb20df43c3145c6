"use strict";
/* Looks frames up and sets them as text. There are no rules of the game in here. */
(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const seats = data.names.length;
  const end = data.frames.length - 1;
  const COLOURS = ["red", "blue", "orange", "green"];
  const frames = [];
  for (const delta of data.frames) frames.push(Object.assign({}, frames.at(-1), delta));

  const $ = (id) => document.getElementById(id);
  /* An element with a class and children; text stays text. */
  function el(tag, cls, ...children) {
    const node = document.createElement(tag);
    if (cls) node.className = cls;
    node.append(...children);
    return node;
  }
  const sr = (text) => el("span", "sr", text);
  const name = (seat) => { const node = el("bdi", "", data.names[seat]); node.dir = "auto"; return node; };
  const count = (number, thing) => `${number} ${thing}${number === 1 ? "" : "s"}`;
  function badge(seat) {
    const node = el("span", `badge seat${seat % 5}`, String(seat));
    node.setAttribute("aria-hidden", "true");
    return node;
  }
  function svg(tag, attributes, ...children) {
    const node = document.createElementNS("http://www.w3.org/2000/svg", tag);
    for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
    node.append(...children);
    return node;
  }
  const sample = (mark) => svg("svg", { class: `sample ${mark}`, width: 12, height: 12, "aria-hidden": "true" },
    svg("use", { href: `#mark-${mark}`, x: 6, y: 6 }));

  function spoken(kind) {
    const [colour, number] = data.cards[kind];
    if (colour === "C") return `currency ${number}`;
    if (colour === "W") return number === "W" ? "full wild" : `number wild ${number}`;
    const named = COLOURS["RBOG".indexOf(colour)];
    return number === "W" ? `${named} wild` : `${named} ${number}`;
  }
  function card(kind) {
    const [colour, number] = data.cards[kind];
    const node = el("span", `card ${colour}`, el("i", "", colour), number);
    node.setAttribute("role", "img");
    node.setAttribute("aria-label", spoken(kind));
    node.dataset.card = data.cards[kind];
    return node;
  }
  const sentence = (pieces) => pieces.flatMap((piece, i) =>
    typeof piece === "number" ? [name(piece)]
      : typeof piece === "string" ? [piece]
      : i && Array.isArray(pieces[i - 1]) ? [" ", card(piece[0])] : [card(piece[0])]);

  /* Collections and the market: one row for each colour, one column for each number. */
  function grid(caption, rows, points) {
    const table = el("table", "own");
    table.append(el("caption", "sr", caption));
    const cols = el("colgroup", "", el("col", "names"));
    for (let i = 0; i < 9; i++) cols.append(el("col", ""));
    if (points) cols.append(el("col", "wild"), el("col", "points"));
    const header = el("tr", "", el("td", "", sr("colour")));
    const column = (...content) => { const th = el("th", "", ...content); th.scope = "col"; header.append(th); };
    for (let number = 1; number <= 9; number++) column(String(number));
    if (points) { column("wild"); column(sr("points")); }
    const cells = new Map();
    const body = el("tbody", "");
    for (const [letter, label, first, wild] of rows) {
      const th = el("th", "", sr(label));
      const short = el("span", "", letter);
      short.setAttribute("aria-hidden", "true");
      th.prepend(short);
      th.scope = "row";
      const row = el("tr", "", th);
      for (let i = 0; i <= (points ? 9 : 8); i++) {
        const kind = i < 9 ? first + i : wild;
        const cell = el("td", `gap ${letter}`);
        cell.dataset.kind = data.cards[kind];
        cells.set(kind, cell);
        row.append(cell);
      }
      if (points) {
        const score = el("td", "score");
        cells.set(`points ${letter}`, score);
        row.append(score);
      }
      body.append(row);
    }
    table.append(cols, el("thead", "", header), body);
    return { table, cells };
  }
  const COLOUR_ROWS = COLOURS.map((colour, i) => ["RBOG"[i], colour, i * 9, 36 + i]);
  const ALL_ROWS = [...COLOUR_ROWS, ["W", "wild, any colour", 40, 49]];
  const counted = (kinds) => {
    const counts = new Map();
    for (const kind of kinds) counts.set(kind, (counts.get(kind) || 0) + 1);
    return counts;
  };
  function put(cell, kind, copies, { run = false, wild = -1, fresh = false } = {}) {
    const colour = cell.classList[1];
    const classes = [copies ? "have" : wild >= 0 ? "fill" : "gap", colour];
    if (run && copies) classes.push("run");
    if (fresh) classes.push("new");
    cell.className = classes.join(" ");
    cell.replaceChildren();
    if (!copies && wild < 0) return;
    cell.append(data.cards[kind][1]);
    if (copies > 1) cell.append(el("small", "", `×${copies}`));
    if (wild >= 0) cell.append(el("small", "", "W"), sr(`filled by the ${spoken(wild)}`));
    else if (run) cell.append(sr(" counts"));
  }

  const boxes = data.names.map((_, seat) => {
    const { table, cells } = grid(`Collection of seat ${seat}`, ALL_ROWS, true);
    const box = el("section", `panel seatbox seat${seat % 5}`);
    const title = el("h3", "", name(seat));
    title.id = `seat-${seat}`;
    box.setAttribute("aria-labelledby", title.id);
    const total = el("span", "total");
    const purse = el("div", "purse");
    box.append(el("div", "head", badge(seat), title, total), purse, table);
    $("players").append(box);
    return { box, cells, total, purse };
  });
  const market = grid("Market", COLOUR_ROWS, false);
  $("market").append(market.table);
  $("legend").append(
    el("span", "", el("span", "k run", "5"), "counts in the run"),
    el("span", "", el("span", "k have", "5"), "owned, doesn’t count"),
    el("span", "", el("span", "k fill", el("span", "", "5", el("small", "", "W"))), "filled by a wild, in the best assignment"));

  /* Events */
  const list = $("events");
  const markOf = new Map();
  for (const [mark, events] of Object.entries(data.marks)) for (const n of events) if (!markOf.has(n)) markOf.set(n, mark);
  const options = [];
  data.turns.forEach(([first, turn, seat], i) => {
    const title = el("div", "turn", el("span", "", turn === 0 ? "Start" : turn < 0 ? "Last buys" : `Turn ${turn}`));
    if (seat >= 0) title.append(badge(seat), name(seat));
    title.id = `turn-${i}`;
    const group = el("div", "", title);
    group.setAttribute("role", "group");
    group.setAttribute("aria-labelledby", title.id);
    const next = i + 1 < data.turns.length ? data.turns[i + 1][0] : end + 1;
    for (let n = first; n < next; n++) {
      const mark = markOf.get(n);
      const option = el("div", "", el("span", "n", String(n)), mark ? sample(mark) : el("span", ""), el("span", "", ...sentence(data.texts[n])));
      option.id = `e${n}`;
      option.dataset.n = n;
      option.setAttribute("role", "option");
      option.setAttribute("aria-selected", "false");
      options.push(option);
      group.append(option);
    }
    list.append(group);
  });

  /* The table at an event */
  let now = -1;
  let timer = 0;
  function gauge(id, value, limit, text) {
    const node = $(id);
    node.querySelector(".bar > span").style.width = `${Math.max(0, Math.min(100, 100 * value / limit))}%`;
    node.querySelector(".value").textContent = text;
    node.classList.toggle("over", value > limit);
  }
  const drawing = (frame) => !frame.tableau.length ? "to draw" : frame.deck ? "to draw or take" : "to take";
  const PHASES = { auction: "to bid", buy: "may buy", final_buy: "may buy" };
  function show(n) {
    const frame = frames[n];
    const before = n > 0 ? frames[n - 1] : frame;
    const turn = data.turns.findLast(([first]) => first <= n);
    $("when").textContent = `Event ${n} of ${end} · ${turn[1] === 0 ? "start" : turn[1] < 0 ? "last buys" : `turn ${turn[1]}`}`;
    $("now").replaceChildren(...sentence(data.texts[n]));

    $("whose").replaceChildren(...(frame.phase === "over" || frame.phase === "end" ? [] : [name(frame.active)]));
    const cards = frame.tableau.map(card);
    if (frame.tableau.length > before.tableau.length) cards.at(-1).classList.add("last");
    for (const node of cards) node.setAttribute("role", "listitem");
    $("tableau").replaceChildren(...(cards.length ? cards : [el("span", "soft", "empty")]));
    gauge("g-total", frame.total, data.limit, `${frame.total} of ${data.limit}${frame.total > data.limit ? ", bust" : ""}`);
    gauge("g-money", frame.money, data.limit, `${frame.money} of ${data.limit}${frame.money > data.limit ? ", bust" : ""}`);
    gauge("g-deck", frame.deck, data.deck, `${frame.deck} of ${data.deck}`);

    $("rest").textContent = `Supply ${count(frame.supply, "token")}, ${count(frame.bust_supply, "bust token")} · discard ${frame.discard}`;

    const lot = $("auction");
    if (frame.auction) {
      const [wild, bid, bidder, said] = frame.auction;
      const bids = el("ul", "bids");
      for (let i = 1; i <= seats; i++) {
        const seat = (frame.active + i) % seats;
        const heard = said.find(([who]) => who === seat);
        const text = heard ? (heard[1] ? `bids ${heard[1]}` : "passes") : frame.asked === seat ? "is asked" : "waits";
        bids.append(el("li", seat === bidder ? "high" : "", badge(seat), name(seat), el("span", "", seat === bidder ? `${text}, highest` : text)));
      }
      lot.replaceChildren(el("div", "lot", el("div", "cards", card(wild)), el("span", "", bid ? `Highest bid: ${bid}` : "No bid yet")), bids);
    } else lot.replaceChildren(el("p", "soft", "None now."));

    const stock = counted(frame.market);
    const stockBefore = counted(before.market);
    for (const [kind, cell] of market.cells) {
      const copies = stock.get(kind) || 0;
      put(cell, kind, copies, { run: copies > 0, fresh: copies > (stockBefore.get(kind) || 0) });
    }
    $("market-count").textContent = count(frame.market.length, "card");

    boxes.forEach(({ box, cells, total, purse }, seat) => {
      const own = counted(frame[`c${seat}`]);
      const ownBefore = counted(before[`c${seat}`]);
      const [points, colours, runs, wilds] = frame[`s${seat}`];
      const filled = new Map(wilds.map(([wild, kind]) => [kind, wild]));
      for (const [kind, cell] of cells) {
        if (typeof kind !== "number") continue;
        const copies = own.get(kind) || 0;
        const span = kind < 36 ? runs[Math.floor(kind / 9)] : null;
        const run = kind < 36 ? span !== null && kind % 9 >= span[0] && kind % 9 <= span[1] : wilds.some(([wild]) => wild === kind);
        put(cell, kind, copies, { run, wild: filled.has(kind) && !copies ? filled.get(kind) : -1, fresh: copies > (ownBefore.get(kind) || 0) });
      }
      colours.forEach((value, colour) => { cells.get(`points ${"RBOG"[colour]}`).textContent = value; });
      total.replaceChildren(String(points), el("small", "", points === 1 ? " point" : " points"));
      purse.replaceChildren(
        el("span", "", el("b", "", `${frame.tokens[seat]}`), frame.tokens[seat] === 1 ? " token" : " tokens"),
        el("span", "", el("b", "", `${frame.busts[seat]}`), frame.busts[seat] === 1 ? " bust token" : " bust tokens"),
        el("span", "", el("b", "", `${frame[`c${seat}`].length}`), frame[`c${seat}`].length === 1 ? " card" : " cards"));
      const doing = frame.winners && frame.winners.includes(seat) ? "winner" : frame.asked === seat ? PHASES[frame.phase] || drawing(frame) : frame.active === seat && frame.phase === "auction" ? "whose turn it is" : "";
      if (doing) purse.append(el("span", "doing", doing));
      box.classList.toggle("active", frame.asked === seat || Boolean(frame.winners && frame.winners.includes(seat)));
      document.querySelector(`[data-points="${seat}"]`).textContent = points;
    });
  }

  /* Moving */
  const slider = $("slider");
  let linked = 0;
  function link() {
    linked = 0;
    history.replaceState(null, "", `#n=${now}`);
  }
  function seek(n, { quiet = false } = {}) {
    n = Math.max(0, Math.min(end, n));
    if (n === now) return;
    const old = options[now];
    now = n;
    show(n);
    if (old) old.setAttribute("aria-selected", "false");
    options[n].setAttribute("aria-selected", "true");
    list.setAttribute("aria-activedescendant", options[n].id);
    keepInView(options[n]);
    slider.value = n;
    const done = end ? n / end : 0;
    slider.style.setProperty("--done", `calc(9px + (100% - 18px) * ${done})`);
    slider.setAttribute("aria-valuetext", `event ${n} of ${end}`);
    $("place").textContent = `${n} / ${end}`;
    const cursor = document.getElementById("cursor");
    cursor.setAttribute("x1", `${100 * done}%`);
    cursor.setAttribute("x2", `${100 * done}%`);
    const later = document.getElementById("later");
    later.setAttribute("x", `${100 * done}%`);
    later.setAttribute("width", `${100 - 100 * done}%`);
    /* Browsers limit how often an address may change. */
    if (!quiet && !linked) linked = setTimeout(link, 250);
  }
  /* Only the list scrolls, never the page; the bar of the playback may lie over its end. */
  function keepInView(option) {
    const outer = list.getBoundingClientRect();
    const inner = option.getBoundingClientRect();
    const above = inner.top - outer.top - option.parentNode.firstChild.offsetHeight - 4;
    const bar = document.querySelector(".playback").getBoundingClientRect().top;
    const floor = bar - outer.top > 120 ? Math.min(outer.bottom, bar) : outer.bottom;
    const below = inner.bottom - floor + 6;
    if (above < 0) list.scrollTop += above;
    else if (below > 0) list.scrollTop += Math.min(below + (floor - outer.top) / 3, above);
  }
  function find(mark, step) {
    const events = data.marks[mark];
    const n = step > 0 ? events.find((at) => at > now) : events.findLast((at) => at < now);
    if (n !== undefined) { pause(); seek(n); }
  }
  function turn(step) {
    const starts = data.turns.map(([first]) => first);
    const n = step > 0 ? starts.find((at) => at > now) : starts.findLast((at) => at < now);
    seek(n === undefined ? (step > 0 ? end : 0) : n);
  }
  const play = $("play");
  const icons = { play: "M7 4l13 8-13 8z", pause: "M8 5v14M16 5v14" };
  function playing(on) {
    play.setAttribute("aria-label", on ? "Pause" : "Play");
    play.querySelector("path").setAttribute("d", on ? icons.pause : icons.play);
    /* A screen reader can't keep up with a film; it speaks again when it is paused. */
    $("now").setAttribute("aria-live", on ? "off" : "polite");
  }
  function pause() {
    clearTimeout(timer);
    timer = 0;
    playing(false);
  }
  function tick() {
    seek(now + 1);
    if (now >= end) pause();
    else timer = setTimeout(tick, 900 / Number($("speed").value));
  }
  function toggle() {
    if (timer) { pause(); return; }
    if (now >= end) seek(0);
    playing(true);
    timer = setTimeout(tick, 900 / Number($("speed").value));
  }
  const go = {
    first: () => seek(0), last: () => seek(end), back: () => seek(now - 1), on: () => seek(now + 1),
    "turn-back": () => turn(-1), "turn-on": () => turn(1),
  };

  play.addEventListener("click", toggle);
  $("speed").addEventListener("change", () => { if (timer) { clearTimeout(timer); timer = setTimeout(tick, 900 / Number($("speed").value)); } });
  slider.addEventListener("input", () => { pause(); seek(Number(slider.value)); });
  for (const button of document.querySelectorAll("[data-go]")) button.addEventListener("click", () => { pause(); go[button.dataset.go](); });
  for (const button of document.querySelectorAll("[data-find]")) button.addEventListener("click", (event) => find(button.dataset.find, event.shiftKey ? -1 : 1));
  list.addEventListener("click", (event) => {
    const option = event.target.closest("[role=option]");
    if (option) { pause(); seek(Number(option.dataset.n)); }
  });
  function place(event, node, inset) {
    const box = node.getBoundingClientRect();
    return Math.round(end * Math.max(0, Math.min(1, (event.clientX - box.left - inset) / (box.width - 2 * inset))));
  }
  $("plot").addEventListener("click", (event) => { pause(); seek(place(event, document.getElementById("scores"), 0)); });
  for (const rail of document.querySelectorAll("[data-lane]")) rail.addEventListener("click", (event) => {
    const n = place(event, rail, 9);
    const near = data.marks[rail.dataset.lane].reduce((best, at) => Math.abs(at - n) < Math.abs(best - n) ? at : best, Infinity);
    pause();
    seek(Math.abs(near - n) <= Math.max(1, 12 * end / rail.clientWidth) ? near : n);
  });

  /* Keys: everywhere but where a control has a use for them itself. */
  const LETTERS = { a: "auction", b: "bust", m: "buy", l: "lead" };
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.altKey || event.metaKey || event.defaultPrevented) return;
    const at = event.target.closest("button, select, input, textarea, a");
    if (at && (at.matches("select, textarea") || (event.key === " " && !at.matches("[type=range]")))) return;
    const step = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: at || event.target !== list ? 0 : -1, ArrowDown: at || event.target !== list ? 0 : 1 }[event.key];
    const letter = LETTERS[event.key.toLowerCase()];
    if (step) { pause(); if (event.shiftKey) turn(step); else seek(now + step); }
    else if (event.key === "Home") { pause(); seek(0); }
    else if (event.key === "End") { pause(); seek(end); }
    else if (event.key === " ") toggle();
    else if (letter && $("letters").checked) find(letter, event.shiftKey ? -1 : 1);
    else return;
    event.preventDefault();
  });

  /* Links to a moment, and copies */
  function fromHash() {
    const found = /^#n=(\d{1,9})$/.exec(location.hash);
    if (!found) return false;
    pause();
    seek(Number(found[1]), { quiet: true });
    return true;
  }
  window.addEventListener("hashchange", fromHash);
  let told = 0;
  async function copy(text) {
    let done = true;
    try { await navigator.clipboard.writeText(text); } catch {
      const field = el("textarea", "sr");
      field.value = text;
      document.body.append(field);
      const focused = document.activeElement;
      field.select();
      done = document.execCommand("copy");
      field.remove();
      if (focused) focused.focus();
    }
    $("copied").textContent = done ? "Copied" : "Can’t copy here";
    clearTimeout(told);
    told = setTimeout(() => { $("copied").textContent = ""; }, 3000);
  }
  $("copy-link").addEventListener("click", () => {
    clearTimeout(linked);
    link();
    copy(location.href);
  });
  if ($("copy-notation")) $("copy-notation").addEventListener("click", () => copy($("notation").value));

  if (!fromHash()) seek(0, { quiet: true });
})();
