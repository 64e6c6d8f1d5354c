// Calls a server as the official TypeScript SDK does, and reports what it was given.
//
// node client.mjs PLAN: the plan names the SDK, the server and the calls; the report is one JSON
// object on standard output. What a client refuses stands in it as a failure.

import { readFileSync } from 'node:fs';

const PATIENCE = { timeout: 240_000, resetTimeoutOnProgress: true }; // milliseconds
const plan = JSON.parse(readFileSync(process.argv[2], 'utf8'));
const ME = { name: 'typescript', version: '1' };
const makers = { sdk: madeBySdk, client: madeByClient };
let number = plan.first;

async function madeBySdk() {
  const { Client } = await import('@modelcontextprotocol/sdk/client/index.js');
  const { StdioClientTransport } = await import('@modelcontextprotocol/sdk/client/stdio.js');
  const http = await import('@modelcontextprotocol/sdk/client/streamableHttp.js');
  const client = new Client(ME);
  const call = (params, options) => client.callTool(params, undefined, options);
  return { client, call, StdioClientTransport, Http: http.StreamableHTTPClientTransport };
}

async function madeByClient() {
  const { Client, StreamableHTTPClientTransport } = await import('@modelcontextprotocol/client');
  const { StdioClientTransport } = await import('@modelcontextprotocol/client/stdio');
  const client = new Client(ME, { versionNegotiation: { mode: 'auto' } });
  const call = (params, options) => client.callTool(params, options);
  return { client, call, StdioClientTransport, Http: StreamableHTTPClientTransport };
}

const { client, call, StdioClientTransport, Http } = await makers[plan.sdk]();

function transport() {
  if (plan.stdio) return new StdioClientTransport({ ...plan.stdio, stderr: 'ignore' });
  const headers = { authorization: `Bearer ${plan.http.token}` };
  return new Http(new URL(plan.http.url), { requestInit: { headers } });
}

async function main() {
  const errors = [];
  client.onerror = (error) => errors.push(String(error));
  await client.connect(transport());
  const report = { server: client.getServerVersion(), capabilities: client.getServerCapabilities() };
  const { tools } = await client.listTools();
  const listed = new Set(tools.map((tool) => tool.name));
  report.tools = [...listed];
  report.undescribed = tools.filter((tool) => !tool.outputSchema).map((tool) => tool.name);
  report.first = await told(listed, 'semantic_search', { query: 'Why Kafka?' });
  report.stopped = await stopped(listed);
  report.long = await told(listed, 'ingest_code', { path: plan.long, wait_seconds: 300 });
  report.taken = await tried(() => use(listed, 'ingest', { wait_seconds: 300 }));
  report.calls = await everyTool(listed);
  report.refused = await tried(() => call({ name: 'get', arguments: { key: 7 } }, PATIENCE));
  Object.assign(report, await everyResource(), await everyPrompt());
  await client.close();
  return { ...report, errors };
}

// Calls each tool of the plan after the steps that come before it.
async function everyTool(listed) {
  const results = {};
  for (const [name, planned] of Object.entries(plan.calls)) {
    const known = { n: String(number++) };
    results[name] = await tried(async () => {
      for (const step of planned.before) {
        const answer = await use(listed, step.tool, filled(step.arguments, known));
        if (step.keeps) known[step.under || step.keeps] = answer.data[step.keeps];
      }
      return use(listed, name, filled(planned.arguments, known));
    });
  }
  return results;
}

// Calls a tool by its name if it is listed, else as a model finds it.
async function use(listed, name, given, options = {}) {
  const direct = { name, arguments: given };
  const called = listed.has(name) ? direct : { name: 'run_tool', arguments: direct };
  const params = { ...called, _meta: { 'io.knowwhy/data': true } };
  const result = await call(params, { ...PATIENCE, ...options });
  const text = result.content.map((part) => part.text).join('\n');
  return { text, data: result.structuredContent, isError: result.isError === true };
}

// Calls a tool and notes all that it tells on the way.
async function told(listed, name, given) {
  const progress = [];
  const onprogress = (at) => progress.push(at);
  return { ...(await tried(() => use(listed, name, given, { onprogress }))), progress };
}

// Gives up a long call as soon as it says that it is under way, and asks what became of its job.
async function stopped(listed) {
  const giving = new AbortController();
  const onprogress = (at) => at.total && giving.abort('enough');
  const given = { path: plan.long, wait_seconds: 300 };
  const options = { onprogress, signal: giving.signal };
  const gone = await tried(() => use(listed, 'ingest_code', given, options));
  const jobs = await use(listed, 'job_status', {});
  const [{ job }] = jobs.data.jobs;
  return { gone, job: await use(listed, 'job_status', { job, wait_seconds: 60 }) };
}

async function everyResource() {
  const { resources } = await client.listResources();
  const { resourceTemplates } = await client.listResourceTemplates();
  const read = {};
  for (const uri of [...resources.map((one) => one.uri), ...plan.items]) {
    read[uri] = await tried(async () => {
      const { contents } = await client.readResource({ uri }, PATIENCE);
      return { text: contents.map((part) => part.text).join('\n') };
    });
  }
  return { resources: read, templates: resourceTemplates.map((one) => one.uriTemplate) };
}

async function everyPrompt() {
  const { prompts } = await client.listPrompts();
  const written = {};
  for (const { name, arguments: takes } of prompts) {
    const given = Object.fromEntries(takes.map((one) => [one.name, plan.said]));
    written[name] = await tried(async () => {
      const { messages } = await client.getPrompt({ name, arguments: given }, PATIENCE);
      return { text: messages.map((message) => message.content.text).join('\n') };
    });
  }
  return { prompts: written };
}

async function tried(run) {
  try {
    return await run();
  } catch (error) {
    return { failed: String(error) };
  }
}

function filled(value, known) {
  if (Array.isArray(value)) return value.map((inner) => filled(inner, known));
  if (value !== null && typeof value === 'object') {
    return Object.fromEntries(Object.entries(value).map(([k, v]) => [k, filled(v, known)]));
  }
  if (typeof value !== 'string') return value;
  return value.replace(/\$([a-z_]+)/g, (_, name) => known[name]);
}

process.stdout.write(JSON.stringify(await main()), () => process.exit(0));
