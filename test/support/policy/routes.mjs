// The answers of the server, by method and path: the trainer's routes.
import { randomUUID } from 'node:crypto';
import { basename } from 'node:path';
import { begunIn, draw, idsOf, LONGEST, promptOf, textOf } from './model.mjs';
import { readCheckpoint } from './steps.mjs';
import { anyText, array, choice, hex64, integer, parse, Problem, record, Refusal, text } from './strict.mjs';

const ADAPTERS = '/v1/adapters';
const STEP = '/step';

export async function answer(service, route, body) {
  if (route.startsWith(`DELETE ${ADAPTERS}/`)) return drop(service.model, route.slice(`DELETE ${ADAPTERS}/`.length));
  const found = ROUTES[route];
  if (found === undefined)
    throw new Problem(404, 'no-such-path', `expected one of ${Object.keys(ROUTES).join(', ')}, got ${route}`);
  return found(service, body);
}

const ROUTES = {
  'GET /v1/models': ({ model }) => models(model),
  'POST /v1/chat/completions': ({ model }, body) => complete(model, body, CHAT),
  'POST /v1/completions': ({ model }, body) => complete(model, body, PLAIN),
  [`POST ${ADAPTERS}`]: ({ model }, body) => load(model, body),
  'POST /tokenize': (_, body) => tokenize(body),
  [`POST ${STEP}`]: ({ steps }, body) => steps.answer(body),
};

/** Status and body of an answer that is no result: the step's own form, and OpenAI's elsewhere. */
export function trouble(path, error) {
  if (path === STEP && error instanceof Refusal) return [422, { refused: error.body }];
  if (path === STEP && !(error instanceof Problem))
    return [500, { failed: { message: `${error.name}: ${error.message}` } }];
  const said = (type, code, param = null) => ({ error: { message: error.message, type, code, param } });
  if (error instanceof Refusal) return [400, said('invalid_request_error', error.body.code, error.body.path)];
  if (error instanceof Problem) return [error.status, said('invalid_request_error', error.code)];
  return [500, said('server_error', 'failed')];
}

const described = ({ names }, one) => ({
  policy_version: one.id,
  kind: one.kind,
  names: [...names].filter(([, other]) => other === one).map(([name]) => name),
});

function models({ base, tokenizer, names }) {
  const data = [...names].map(([id, one]) => ({
    id,
    object: 'model',
    owned_by: 'perpetua',
    policy_version: one.id,
    kind: one.kind,
  }));
  return { object: 'list', data, base, tokenizer, max_model_len: LONGEST };
}

function load(model, body) {
  const checkpoint = parse(body);
  record({ path: text, sha256: hex64 })(checkpoint, '');
  const alias = basename(checkpoint.path);
  const known = model.names.get(alias);
  if (known !== undefined && known.id !== checkpoint.sha256)
    throw new Problem(409, 'name_taken', `expected a new name, got ${alias}, which is ${known.id}: drop that first`);
  const { logits } = readCheckpoint(checkpoint, model);
  const one = model.names.get(checkpoint.sha256) ?? { id: checkpoint.sha256, kind: 'lora', logits };
  model.names.set(one.id, one).set(alias, one);
  return described(model, one);
}

function find({ names }, name) {
  const found = names.get(name);
  if (found !== undefined) return found;
  const known = [...names.keys()].sort().join(', ');
  throw new Problem(404, 'model_not_found', `expected one of ${known}, got ${name}: POST ${ADAPTERS} loads one`);
}

function drop(model, name) {
  const one = find(model, name);
  if (one.kind === 'base') throw new Problem(400, 'base', 'expected a loaded checkpoint, got the base, which stays');
  for (const [key, other] of [...model.names]) if (other === one) model.names.delete(key);
  return described(model, one);
}

const Message = record({ role: choice('system', 'user', 'assistant', 'tool', 'developer'), content: anyText });

function tokenize(body) {
  const asked = parse(body);
  record('messages' in asked ? { messages: array(Message) } : { prompt: text })(asked, '');
  const tokens = idsOf(asked.messages ? promptOf(asked.messages) : asked.prompt);
  return { tokens, count: tokens.length, max_model_len: LONGEST };
}

/** Reads a setting that has only one value here. */
const fixed = (only) => (value, path) => {
  if (value !== only) throw new Refusal('unsupported', path, `${JSON.stringify(only)}, the only value`, value);
};
const KEYS = {
  model: text,
  n: integer(1, 1024),
  max_tokens: integer(1),
  seed: integer(),
  temperature: fixed(1),
  top_p: fixed(1),
  training: fixed(true),
  logprobs: fixed(true),
  stop: (value, path) => void (value?.length === 0 || array(text)(value, path)),
  stream: fixed(false),
};

const CHAT = {
  own: { messages: array(Message) },
  promptOf: ({ messages }) => promptOf(messages),
  object: 'chat.completion',
  said: (content) => ({ message: { role: 'assistant', content } }),
  scored: (ids, logprobs) => ({
    content: ids.map((id, index) => ({ token: textOf([id]), logprob: logprobs[index], top_logprobs: [] })),
  }),
};
const PLAIN = {
  own: { prompt: text },
  promptOf: ({ prompt }) => prompt,
  object: 'text_completion',
  said: (content) => ({ text: content }),
  scored: (ids, logprobs) => ({
    tokens: ids.map((id) => textOf([id])),
    token_logprobs: logprobs,
    top_logprobs: null,
    // Each token is a character.
    text_offset: ids.map((_, index) => index),
  }),
};

function complete(model, body, form) {
  const asked = { n: 1, stream: false, stop: [], ...parse(body) };
  record({ ...KEYS, ...form.own })(asked, '');
  const version = find(model, asked.model);
  const asText = form.promptOf(asked);
  const prompt = idsOf(asText);
  const begun = begunIn(asText);
  if (prompt.length + asked.max_tokens > LONGEST)
    throw new Refusal(
      'over-long',
      'max_tokens',
      `at most ${LONGEST} with the prompt`,
      `${prompt.length} + ${asked.max_tokens}`,
    );
  const choices = Array.from({ length: asked.n }, (_, place) => {
    const { seed, stop, max_tokens: most } = asked;
    const { ids, text, logprobs, finish } = draw(version.logits, { seed, place, most, begun, stop, model });
    return {
      index: place,
      ...form.said(text),
      logprobs: form.scored(ids, logprobs),
      finish_reason: finish,
      token_ids: ids,
      token_logprobs: logprobs,
    };
  });
  const made = choices.reduce((sum, { token_ids: ids }) => sum + ids.length, 0);
  return {
    id: `chatcmpl-${randomUUID()}`,
    object: form.object,
    created: Math.floor(Date.now() / 1000),
    model: asked.model,
    policy_version: version.id,
    seed: asked.seed,
    prompt_token_ids: prompt,
    choices,
    usage: { prompt_tokens: prompt.length, completion_tokens: made, total_tokens: prompt.length + made },
  };
}
