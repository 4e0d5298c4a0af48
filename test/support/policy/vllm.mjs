// A server that speaks vLLM's dialect of OpenAI's API over HTTP: token ids and log-probabilities on request, and the
// sampling defaults of a model's folder for keys that a request leaves out. It samples and does not learn.
//   node vllm.mjs MODEL [KEY]      prints `ready PORT`
import { createServer } from 'node:http';
import { ANSWERS, begunIn, draw, idsOf, LONGEST, promptOf, textOf } from './model.mjs';

const [model, key] = process.argv.slice(2);
const logits = ANSWERS.map(() => 0);
/** Defaults as in many a generation_config.json. Samples by them have not the log-probabilities of the policy. */
const OF_THE_MODEL = { temperature: 0.6, top_p: 0.95, top_k: 20, min_p: 0, repetition_penalty: 1.05 };
const WHOLE = { temperature: 1, top_p: 1, top_k: -1, min_p: 0, repetition_penalty: 1 };

class Problem extends Error {
  constructor(status, message) {
    super(message);
    this.status = status;
  }
}

function complete(asked, { prompt, said, told }) {
  if (asked.model !== model) throw new Problem(404, `The model \`${asked.model}\` does not exist.`);
  const ids = idsOf(prompt);
  if (ids.length + asked.max_tokens > LONGEST)
    throw new Problem(
      400,
      `'max_tokens' is too large: ${asked.max_tokens}. This model's maximum context length is ${LONGEST}`,
    );
  const sampling = { ...OF_THE_MODEL, ...asked };
  for (const [name, value] of Object.entries(WHOLE))
    if (sampling[name] !== value)
      throw new Problem(500, `a test asks for the whole distribution: ${name} is ${sampling[name]}`);
  const one = draw(logits, {
    seed: asked.seed,
    place: 0,
    most: asked.max_tokens,
    begun: begunIn(prompt),
    stop: asked.stop,
  });
  const tokens = one.ids.map((id) => `${textOf([id])}`);
  const choice = { index: 0, ...said(one.text), finish_reason: one.finish, stop_reason: null };
  const answer = { id: 'cmpl-1', created: 1, model };
  return told({ asked, answer, choice, ids, tokens, one });
}

/**
 * A completion of text has the prompt's ids in the choice, and `logprobs` is a number. A completion of a chat has the
 * ids above the choices, and `logprobs` is a boolean.
 */
const ROUTES = {
  '/v1/completions': (asked) =>
    complete(asked, {
      prompt: asked.prompt,
      said: (text) => ({ text }),
      told: ({ answer, choice, ids, tokens, one }) => ({
        ...answer,
        object: 'text_completion',
        choices: [
          {
            ...choice,
            logprobs: Number.isInteger(asked.logprobs)
              ? { tokens, token_logprobs: one.logprobs, top_logprobs: [] }
              : null,
            ...(asked.return_token_ids === true && { token_ids: one.ids, prompt_token_ids: ids }),
          },
        ],
      }),
    }),
  '/v1/chat/completions': (asked) =>
    complete(asked, {
      prompt: promptOf(asked.messages),
      said: (content) => ({ message: { role: 'assistant', content } }),
      told: ({ answer, choice, ids, tokens, one }) => ({
        ...answer,
        object: 'chat.completion',
        ...(asked.return_token_ids === true && { prompt_token_ids: ids }),
        choices: [
          {
            ...choice,
            logprobs:
              asked.logprobs === true
                ? {
                    content: tokens.map((token, at) => ({
                      token,
                      logprob: one.logprobs[at],
                      bytes: [],
                      top_logprobs: [],
                    })),
                  }
                : null,
            ...(asked.return_token_ids === true && { token_ids: one.ids }),
          },
        ],
      }),
    }),
  '/tokenize': (asked) => {
    const tokens = idsOf(asked.messages ? promptOf(asked.messages) : asked.prompt);
    return { count: tokens.length, max_model_len: LONGEST, tokens };
  },
};

const server = createServer(async (request, response) => {
  const send = (status, value) =>
    response.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(value));
  try {
    const chunks = [];
    for await (const chunk of request) chunks.push(chunk);
    // As in vLLM, only paths under /v1 ask for the key.
    if (key !== undefined && request.url.startsWith('/v1') && request.headers.authorization !== `Bearer ${key}`)
      throw new Problem(401, `Unauthorized: ${request.headers.authorization}`);
    const route = ROUTES[request.url];
    if (route === undefined) throw new Problem(404, 'Not Found');
    send(200, route(JSON.parse(Buffer.concat(chunks).toString())));
  } catch (error) {
    const { status: code = 500, message } = error;
    send(code, { error: { message, type: 'BadRequestError', param: null, code } });
  }
});
server.listen(0, '127.0.0.1', () => console.log(`ready ${server.address().port}`));
