// The API, interactive: every operation of /openapi.json with a form that sends it.
const list = document.getElementById("api");
const key = document.getElementById("key");
const make = (tag, properties = {}, ...children) => {
  const made = Object.assign(document.createElement(tag), properties);
  made.append(...children);
  return made;
};

const resolve = (api, schema) => (schema?.$ref ? schema.$ref.slice(2).split("/").reduce((at, part) => at[part], api) : schema);

// A body to begin with: what is needed, and what else there is.
function example(api, schema, depth = 0) {
  const found = resolve(api, schema) ?? {};
  if (found.default !== undefined) return found.default;
  if (found.enum) return found.enum[0];
  const choice = found.anyOf ?? found.oneOf;
  if (choice) return example(api, choice.find((one) => one.type !== "null") ?? choice[0], depth + 1);
  if (found.properties && depth < 3) {
    const names = Object.keys(found.properties).filter((name) => depth === 0 || found.required?.includes(name));
    return Object.fromEntries(names.map((name) => [name, example(api, found.properties[name], depth + 1)]));
  }
  return { array: [], integer: found.minimum ?? 0, number: 0, boolean: false, object: {} }[found.type] ?? "";
}

function operation(api, path, method, action) {
  const form = make("form", { className: "fields" });
  for (const parameter of action.parameters ?? []) {
    const label = `${parameter.name} (${parameter.in}${parameter.required ? "" : ", optional"})`;
    const input = make("input", { name: parameter.name, required: Boolean(parameter.required), autocomplete: "off" });
    input.dataset.in = parameter.in;
    form.append(make("label", {}, label, input));
  }
  const schema = action.requestBody?.content?.["application/json"]?.schema;
  const body = schema && make("textarea", { rows: 6, spellcheck: false, value: JSON.stringify(example(api, schema), null, 2) });
  if (body) form.append(make("label", {}, "Body", body));
  const answer = make("pre", { className: "answer", tabIndex: 0, hidden: true });
  form.append(make("button", { className: "button main" }, "Send"), answer);
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    let address = path;
    const query = new URLSearchParams();
    for (const input of form.querySelectorAll("input")) {
      if (input.dataset.in === "path") address = address.replace(`{${input.name}}`, encodeURIComponent(input.value));
      else if (input.value) query.set(input.name, input.value);
    }
    const headers = key.value ? { Authorization: `Bearer ${key.value}` } : {};
    if (body) headers["Content-Type"] = "application/json";
    answer.hidden = false;
    try {
      const sent = { method: method.toUpperCase(), headers, body: body?.value };
      const response = await fetch(`${address}${query.size ? `?${query}` : ""}`, sent);
      const text = (await response.text()).slice(0, 20000);
      let shown = text;
      try { shown = JSON.stringify(JSON.parse(text), null, 2); } catch { /* not one JSON document */ }
      answer.textContent = `${response.status} ${response.statusText}\n\n${shown}`;
    } catch (error) {
      answer.textContent = String(error);
    }
  });
  const title = make("summary", {}, make("code", { className: method }, method.toUpperCase()), " ", make("code", {}, path));
  return make("details", { className: "panel operation" }, title, make("p", {}, [action.summary, action.description].filter(Boolean).join(" ")), form);
}

const api = await (await fetch("/openapi.json")).json();
const operations = Object.entries(api.paths).flatMap(([path, methods]) => Object.entries(methods).map(([method, action]) => operation(api, path, method, action)));
list.replaceChildren(...operations);
