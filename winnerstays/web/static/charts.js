// What every chart shares: the library when it is first needed, colours from the page's tokens, streams of lines.
let loading;

function load(tag, properties) {
  return new Promise((done, failed) => {
    const element = Object.assign(document.createElement(tag), properties, { onload: done, onerror: failed });
    document.head.append(element);
  });
}

const vendored = (name) => new URL(`vendored/${name}`, import.meta.url).href;

export async function library() {
  loading ??= Promise.all([
    load("link", { rel: "stylesheet", href: vendored("uPlot.min.css") }),
    load("script", { src: vendored("uPlot.iife.min.js") }),
  ]);
  await loading;
  return window.uPlot;
}

const probe = document.createElement("span");
probe.hidden = true;
document.body.append(probe);

// Canvases want colours, not expressions of CSS.
export function computed(expression) {
  probe.style.color = expression;
  return getComputedStyle(probe).color;
}

export const colour = (token) => computed(`var(--${token})`);

// A colour that is made for white paper, as an expression that is lighter where the page is dark.
export const adapted = (line) => `light-dark(${line}, color-mix(in srgb, ${line} 55%, white))`;

export const axis = (label, size = 50) => ({
  size,
  label,
  labelFont: "600 13px system-ui, sans-serif",
  font: "13px system-ui, sans-serif",
  stroke: () => colour("quiet"),
  grid: { stroke: () => colour("line"), width: 1 },
  ticks: { stroke: () => colour("line"), width: 1 },
});

export function fit(chart, element) {
  new ResizeObserver(() => chart.setSize({ width: element.clientWidth, height: chart.height })).observe(element);
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => chart.redraw());
  return chart;
}

// The values of a response that is one JSON document a line.
export async function* values(response) {
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  for (;;) {
    const { value, done } = await reader.read();
    if (done) return;
    const lines = (rest + value).split("\n");
    rest = lines.pop();
    for (const line of lines) yield JSON.parse(line);
  }
}
