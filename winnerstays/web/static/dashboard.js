// The dashboard: traffic as a chart, and the newest events as they come.
import { axis, colour, fit, library } from "./charts.js";

const traffic = document.getElementById("traffic");
const body = document.getElementById("events");
const KEPT = 20;
const HOUR = 3600;
const DATE_WIDTH = 90;
let newest = 0;

const two = (number) => String(number).padStart(2, "0");

// The hour, and below it the day where a new one begins: each tick is a whole hour, far enough from the next for a date.
function hours(_, ticks) {
  let last = "";
  return ticks.map((tick) => {
    const time = new Date(1000 * tick);
    const day = `${time.getFullYear()}-${two(time.getMonth() + 1)}-${two(time.getDate())}`;
    const words = `${two(time.getHours())}:${two(time.getMinutes())}` + (day === last ? "" : `\n${day}`);
    last = day;
    return words;
  });
}

async function draw() {
  const data = JSON.parse(traffic.dataset.traffic);
  const uPlot = await library();
  const bars = uPlot.paths.bars({ size: [0.8, 40] });
  const options = {
    width: traffic.clientWidth, height: 200, padding: [null, DATE_WIDTH / 2, null, null], cursor: { show: false }, legend: { show: false },
    scales: { x: { range: [data[0][0] - 2 * HOUR, data[0].at(-1) + 2 * HOUR] }, y: { range: (_, low, high) => [0, Math.max(1, 1.1 * high)] } },
    axes: [{ ...axis(), values: hours, space: DATE_WIDTH, incrs: [1, 2, 3, 6, 12, 24, 48, 96, 168].map((n) => n * HOUR) }, axis()],
    series: [{}, { paths: bars, fill: () => colour("line"), stroke: () => colour("quiet"), width: 1, points: { show: false } }, { paths: bars, fill: () => colour("accent"), stroke: () => colour("accent"), points: { show: false } }],
  };
  fit(new uPlot(options, data, traffic), traffic);
}

function row(event) {
  const line = document.createElement("tr");
  const pair = event.left == null ? "" : `${event.left} or ${event.right}`;
  const time = new Date(1000 * event.at).toLocaleTimeString();
  for (const words of [time, event.user ?? "", event.kind, pair, event.winner ?? (event.outcome === "winner" ? "" : event.outcome) ?? ""]) {
    const cell = document.createElement("td");
    cell.textContent = words.length > 60 ? `${words.slice(0, 60)}…` : words;
    cell.title = words;
    line.append(cell);
  }
  return line;
}

// Each event has its number in the log: one that comes again after a lost connection is not shown twice.
function show(events) {
  for (const event of events.filter(({ seq }) => seq > newest)) {
    body.prepend(row(event));
    newest = event.seq;
  }
  while (body.children.length > KEPT) body.lastElementChild.remove();
}

show(JSON.parse(body.dataset.events));
if (traffic) draw(); // not before the first duel
new EventSource(body.dataset.live).addEventListener("message", (message) => show(JSON.parse(message.data)));
