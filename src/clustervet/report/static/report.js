"use strict";
(() => {
  const $ = (id) => document.getElementById(id);
  const all = (query, root = document) => [...root.querySelectorAll(query)];
  const parse = (id) => JSON.parse($(id).textContent);
  const live = $("live");
  const say = (text) => { live.textContent = ""; live.textContent = text; };
  const LIMIT = 20;
  const known = new Map();
  all("button.link").forEach((one) => { if (!known.has(one.dataset.link)) known.set(one.dataset.link, one.textContent); });
  let chosen = "";

  // Tables: sorted, filtered, and cut after some rows.
  const tables = all("[data-table]").map((root) => {
    const body = root.querySelector("tbody");
    const table = { root, body, rows: [...body.rows], needle: "", open: false };
    table.more = root.querySelector(".more");
    table.count = root.querySelector(".count");
    table.title = root.querySelector("h3,h4").textContent;
    table.words = null;
    const input = root.querySelector("input");
    if (input) input.addEventListener("input", () => {
      table.needle = input.value.trim().toLowerCase();
      say(`${refresh(table)} of ${table.rows.length} rows match in ${table.title}.`);
    });
    if (table.more) table.more.addEventListener("click", () => { table.open = !table.open; refresh(table); });
    all("th .sort", root).forEach((button, column) => button.addEventListener("click", () => sort(table, button.closest("th"), column)));
    refresh(table);
    return table;
  });

  function refresh(table) {
    if (table.needle && !table.words) table.words = new Map(table.rows.map((row) => [row, row.textContent.toLowerCase()]));
    let found = 0, shown = 0;
    for (const row of table.rows) {
      const match = !table.needle || table.words.get(row).includes(table.needle);
      found += match;
      const visible = match && (table.open || shown < LIMIT || isLit(row));
      shown += visible;
      if (row.hidden === visible) row.hidden = !visible;
    }
    if (table.more) {
      table.more.hidden = !table.open && found <= LIMIT;
      table.more.textContent = table.open ? `Show ${LIMIT} rows` : `Show all ${found.toLocaleString("en")} rows`;
    }
    table.count.textContent = shown < table.rows.length ? `${shown.toLocaleString("en")} of ${table.rows.length.toLocaleString("en")} rows` : "";
    return found;
  }

  function sort(table, head, column) {
    const numeric = head.classList.contains("number");
    const now = head.getAttribute("aria-sort");
    const order = now === "none" ? (numeric ? "descending" : "ascending") : now === "ascending" ? "descending" : "ascending";
    all("th[aria-sort]", table.root).forEach((th) => th.setAttribute("aria-sort", "none"));
    head.setAttribute("aria-sort", order);
    const sign = order === "ascending" ? 1 : -1;
    const key = (row) => {
      const cell = row.cells[column];
      if (!numeric) return cell.textContent.trim();
      return cell.dataset.value === undefined ? NaN : Number(cell.dataset.value);
    };
    const keyed = table.rows.map((row) => [key(row), row]);
    const texts = new Intl.Collator("en", { numeric: true });
    keyed.sort(([a], [b]) => {
      if (!numeric) return sign * texts.compare(a, b);
      if (Number.isNaN(a) || Number.isNaN(b)) return Number.isNaN(a) - Number.isNaN(b);
      return sign * (a - b);
    });
    table.rows = keyed.map(([, row]) => row);
    table.body.append(...table.rows);
    refresh(table);
    say(`${table.title} sorted by ${head.textContent.trim()}, ${order}.`);
  }

  // Choosing a cluster, class or clustering lights it up wherever it occurs.
  function isLit(row) {
    return chosen !== "" && (row.dataset.link === chosen || [...row.querySelectorAll("button.link")].some((one) => one.dataset.link === chosen));
  }

  function choose(link, quiet) {
    const next = link && known.has(link) ? (link === chosen && !quiet ? "" : link) : "";
    if (next === chosen) return;
    chosen = next;
    all("button.link").forEach((one) => one.setAttribute("aria-pressed", String(one.dataset.link === chosen)));
    for (const table of tables) {
      table.rows.forEach((row) => row.classList.toggle("lit", isLit(row)));
      refresh(table);
    }
    drawn.forEach(update);
    const words = chosen ? sentence(chosen) : "";
    $("chosen-text").textContent = words;
    $("chosen").hidden = !chosen;
    say(chosen ? `${words} is lit up in all figures and tables. Escape clears.` : "Nothing is chosen.");
    if (!quiet) {
      const hash = chosen ? `#choose=${encodeURIComponent(chosen)}` : "#";
      try { history.replaceState(null, "", hash); } catch { location.hash = hash; }
    }
  }

  function sentence(link) {
    const [scope, id] = link.includes("|") ? [link.slice(0, link.indexOf("|")), link.slice(link.indexOf("|") + 1)] : ["", link];
    const kind = { pred: "Clustering", class: "Class", cluster: "Cluster", algorithm: "Algorithm" }[id.slice(0, id.indexOf(":"))] || "";
    const part = scope && $(scope.replace(/p(\d+)$/, "c$1"));
    const of = part ? ` of ${part.querySelector("h3").textContent}` : "";
    return `${kind} ${known.get(link)}${of}`;
  }

  document.addEventListener("click", (event) => {
    const button = event.target.closest("button.link");
    if (button) return choose(button.dataset.link);
    const row = event.target.closest("tr[data-link]");
    if (row && !String(getSelection())) choose(row.dataset.link);
  });
  $("clear").addEventListener("click", () => choose(""));
  document.addEventListener("keydown", (event) => {
    if (event.key === "Escape" && chosen && event.target.type !== "search") choose("");
  });

  // Figures are drawn when they come into view.
  const drawn = new Map();
  let library = null;

  function unpack(text) {
    if (typeof DecompressionStream === "undefined") throw new Error("no decompression");
    const packed = Uint8Array.from(atob(text), (c) => c.charCodeAt(0));
    return new Response(new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"))).text();
  }

  async function held(id) {
    const script = $(id);
    return JSON.parse(script.type === "text/plain" ? await unpack(script.textContent) : script.textContent);
  }

  function load() {
    if (!library) library = (async () => {
      const script = document.createElement("script");
      script.textContent = await unpack($("plotly").textContent);
      document.head.append(script);
      if (!window.Plotly) throw new Error("not loaded");
      return window.Plotly;
    })();
    return library;
  }

  // Data are unpacked while nothing else happens, so that a print can draw at once.
  const unpacked = new Map();
  const prepare = () => Promise.all([load(), ...all(".plot").map(async ({ dataset }) => {
    unpacked.set(dataset.plot, await held(`${dataset.plot}-data`));
  })]);
  const whenIdle = window.requestIdleCallback || ((work) => setTimeout(work, 500));

  let printing = false;

  function theme() {
    if (printing) return "light";
    const set = document.documentElement.dataset.theme;
    if (set !== "auto") return set;
    return matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";
  }

  const templates = $("templates") ? parse("templates") : {};
  const CONFIG = { responsive: true, displaylogo: false, displayModeBar: false, scrollZoom: false, doubleClick: "reset" };

  async function draw(plot) {
    if (plot.dataset.asked) return;
    plot.dataset.asked = "true";
    let Plotly, figure;
    try {
      figure = unpacked.get(plot.dataset.plot);
      Plotly = figure && window.Plotly;
      if (!Plotly) {
        Plotly = await load();
        figure = await held(`${plot.dataset.plot}-data`);
      }
    } catch {
      if (!plot.firstElementChild) {
        plot.textContent = "This browser cannot draw the figure; the tables hold the same numbers.";
        plot.style.height = "auto";
      }
      return;
    }
    drawn.set(plot, figure);
    figure.narrow = plot.clientWidth < 520;
    const [data, layout] = lit(figure);
    plot.replaceChildren();
    await Plotly.newPlot(plot, data, layout, CONFIG);
    plot.dataset.drawn = "true";
    plot.on("plotly_click", (event) => clicked(figure, event.points[0], plot));
    const save = document.querySelector(`[data-save="${plot.dataset.plot}"]`);
    save.hidden = false;
    save.addEventListener("click", () => Plotly.downloadImage(plot, { format: "svg", filename: plot.dataset.plot }));
  }

  function update(held, plot) {
    if (plot.dataset.drawn) window.Plotly.react(plot, ...lit(held), CONFIG);
  }

  const linkOf = (held, id) => {
    const kind = id.slice(0, id.indexOf(":"));
    return kind in held.scopes ? `${held.scopes[kind]}|cluster${id.slice(kind.length)}` : id;
  };
  const ids = (entry) => (Array.isArray(entry) ? entry : [entry]).filter((one) => typeof one === "string");
  const meets = (held, entry) => ids(entry).some((id) => linkOf(held, id) === chosen);

  function clicked(held, point, plot) {
    let entries = ids(point.customdata);
    const meta = held.figure.layout.meta || {};
    if (!entries.length && Array.isArray(point.pointNumber)) {
      entries = [(meta.columns || [])[point.pointNumber[1]], (meta.rows || [])[point.pointNumber[0]]].filter(Boolean);
    }
    if (!entries.length && point.data && point.data.meta && point.data.meta.id) entries = [point.data.meta.id];
    const link = entries.map((id) => linkOf(held, id)).find((one) => known.has(one));
    const panel = panels.get(plot.dataset.plot);
    if (panel && Array.isArray(point.pointNumber)) {
      panel(...point.pointNumber);
      if (link && link !== chosen) choose(link);
    } else if (link) choose(link);
  }

  // The objects behind a cell: listed by a click on it, or by its class and its cluster.
  const panels = new Map(all("[data-objects]").map((root) => {
    const key = root.dataset.objects;
    const [rows, columns] = all("select", root);
    const told = root.querySelector(".told"), area = root.querySelector("textarea"), copy = root.querySelector(".copy");
    let data = null;
    const opened = () => data = data || held(`${key}-objects`).then((found) => {
      found.at = new Map(found.cells.map((cell) => [`${cell[0]},${cell[1]}`, cell]));
      [[rows, found.rows], [columns, found.columns]].forEach(([select, names]) => {
        select.append(...names.map((name, k) => new Option(name, k)));
      });
      return found;
    });
    const show = async (row, column) => {
      const found = await opened();
      if (row >= found.rows.length || column >= found.columns.length) return say("Combined cells are not listed.");
      rows.value = row;
      columns.value = column;
      const [, , count, listed] = found.at.get(`${row},${column}`) || [0, 0, 0, []];
      const many = (n) => n.toLocaleString("en");
      const what = `of class ${found.rows[row]} ${count === 1 ? "is" : "are"} in cluster ${found.columns[column]}`;
      const part = listed.length < count ? `; ${listed.length ? `the first ${many(listed.length)} are listed` : "none of them is listed"}` : "";
      told.textContent = `${count ? many(count) : "No"} ${count === 1 || !count ? "object" : "objects"} ${count ? what : what.replace("are in", "is in")}${part}.`;
      area.value = listed.join("\n");
      area.rows = Math.min(Math.max(listed.length, 2), 8);
      area.hidden = copy.hidden = !listed.length;
      copy.textContent = "Copy";
      root.querySelector(".listed").hidden = false;
      say(told.textContent);
      root.scrollIntoView({ block: "nearest" });
    };
    root.querySelector(".list").addEventListener("click", () => show(Number(rows.value), Number(columns.value)));
    copy.addEventListener("click", async () => {
      area.select();
      let done = false;
      try { await navigator.clipboard.writeText(area.value); done = true; } catch { done = document.execCommand("copy"); }
      copy.textContent = done ? "Copied" : "Press Ctrl+C";
      say(done ? "Copied." : "The objects are selected; press Ctrl+C.");
    });
    opened().then(() => { root.hidden = false; }, () => {});
    return [key, show];
  }));

  // The figure's data with what is chosen standing out, from the untouched original.
  function lit(held) {
    const layout = { ...held.figure.layout, template: templates[theme()], autosize: true };
    if (held.narrow && layout.coloraxis) layout.coloraxis = { ...layout.coloraxis, colorbar: flat(layout.coloraxis.colorbar) };
    let data = held.figure.data.map((trace) => ({ ...trace }));
    if (!chosen) return [data, layout];
    const before = data;
    let hit = false;
    data = data.map((trace) => {
      const [next, found] = litTrace(held, trace);
      hit = hit || found;
      return next;
    });
    const shapes = frames(held, layout);
    if (shapes.length) { layout.shapes = [...(layout.shapes || []), ...shapes]; hit = true; }
    return [hit ? data : before, layout];
  }

  // On a narrow screen the scale lies above the figure.
  function flat(bar = {}) {
    return { ...bar, orientation: "h", x: 0, xanchor: "left", y: 1, yanchor: "bottom", len: 1, thickness: 8, title: { ...bar.title, side: "top" } };
  }

  function litTrace(held, trace) {
    if (trace.type === "sankey") return litFlows(held, trace);
    if (trace.type === "heatmap" && !trace.meta) return [trace, false];
    if (trace.meta && trace.meta.id) {
      const found = linkOf(held, trace.meta.id) === chosen;
      const colour = faint(trace.line && trace.line.color, found ? 0.75 : 0.1);
      return [{ ...trace, opacity: found ? 1 : 0.18, ...(trace.fill && colour ? { fillcolor: colour } : {}) }, found];
    }
    if (!Array.isArray(trace.customdata)) return [trace, false];
    const places = trace.customdata.flatMap((entry, k) => (meets(held, entry) ? [k] : []));
    return [{ ...trace, selectedpoints: places, selected: { marker: { opacity: 1 } }, unselected: { marker: { opacity: 0.18 } } }, places.length > 0];
  }

  // Opacity does not reach an area's filling.
  function faint(colour, strength) {
    if (!/^#[0-9a-f]{6}$/i.test(colour || "")) return "";
    const parts = [1, 3, 5].map((k) => parseInt(colour.slice(k, k + 2), 16));
    return `rgba(${parts.join(",")},${strength})`;
  }

  function litFlows(held, trace) {
    const { link } = trace;
    const found = link.customdata.map((entry) => meets(held, entry.slice(0, 2)));
    if (!found.includes(true)) return [trace, false];
    const strength = (colour, on) => colour.replace(/,\s*[\d.]+\)$/, on ? ",0.75)" : ",0.08)");
    return [{ ...trace, link: { ...link, color: link.color.map((colour, k) => strength(colour, found[k])) } }, true];
  }

  function frames(held, layout) {
    if (!held.figure.data.some((trace) => trace.type === "heatmap")) return [];
    const meta = layout.meta || {};
    const line = { color: getComputedStyle(document.documentElement).getPropertyValue("--accent").trim(), width: Math.max((meta.columns || []).length, (meta.rows || []).length) > 60 ? 1 : 2 };
    const at = (list) => (list || []).findIndex((id) => linkOf(held, id) === chosen);
    const column = at(meta.columns), row = at(meta.rows), found = [];
    if (column >= 0) found.push({ type: "rect", xref: "x", yref: "paper", x0: column - 0.5, x1: column + 0.5, y0: 0, y1: 1, line });
    if (row >= 0) found.push({ type: "rect", xref: "paper", yref: "y", x0: 0, x1: 1, y0: row - 0.5, y1: row + 0.5, line });
    return found;
  }

  const watcher = new IntersectionObserver((entries) => {
    entries.filter((entry) => entry.isIntersecting).forEach((entry) => {
      watcher.unobserve(entry.target);
      draw(entry.target);
    });
  }, { rootMargin: "300px 0px" });
  all(".plot").forEach((plot) => {
    plot.style.height = `${plot.dataset.height}px`;
    watcher.observe(plot);
  });

  if ($("plotly")) whenIdle(() => prepare().then(() => { document.documentElement.dataset.ready = "true"; }, () => {}));

  // Light and dark.
  const button = $("theme");
  button.hidden = false;
  const name = () => { button.textContent = theme() === "dark" ? "Light" : "Dark"; button.setAttribute("aria-label", `Switch to ${button.textContent.toLowerCase()} colours`); };
  const retheme = () => { name(); drawn.forEach(update); };
  button.addEventListener("click", () => {
    document.documentElement.dataset.theme = theme() === "dark" ? "light" : "dark";
    retheme();
  });
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", retheme);
  name();

  // What the address names is chosen, or opened where it is folded.
  function follow() {
    const hash = location.hash.slice(1);
    if (hash.startsWith("choose=")) {
      try { choose(decodeURIComponent(hash.slice(7)), true); } catch { choose("", true); }
      return;
    }
    const target = hash && $(hash);
    if (!target) return;
    for (let box = target.closest("details"); box; box = box.parentElement.closest("details")) box.open = true;
    const inside = target.querySelector(":scope > details");
    if (inside) inside.open = true;
    target.scrollIntoView();
  }
  addEventListener("hashchange", follow);
  follow();

  // On paper everything is open.
  let closed = [];
  addEventListener("afterprint", () => {
    printing = false;
    closed.forEach((box) => { box.open = false; });
    retheme();
  });
  addEventListener("beforeprint", () => {
    printing = true;
    drawn.forEach(update);
    closed = all("details").filter((box) => !box.open);
    closed.forEach((box) => { box.open = true; });
    for (const table of tables) { table.open = true; refresh(table); }
    all(".plot").forEach(draw);
  });
})();
