// The four protocols of the scripted endpoint: how each reads a conversation, and writes an answer whole or streamed.
// `whole` returns the JSON body, `events` a list of `{ event?, data }`. Usage is the same in each: see USAGE.

/** Tokens of every call. */
export const USAGE = { input: 1000, output: 50, cached: 100, reasoning: 10 };

/** Pieces of a text: ten characters each, or more of a long text. */
function pieces(text) {
  const length = Math.max(10, Math.ceil(text.length / 2000));
  return Array.from({ length: Math.ceil(text.length / length) }, (_, at) => text.slice(at * length, (at + 1) * length));
}

function textOf(content) {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return '';
  return content.map((part) => part.text ?? '').join('\n');
}

const chatUsage = {
  prompt_tokens: USAGE.input,
  completion_tokens: USAGE.output,
  total_tokens: USAGE.input + USAGE.output,
  prompt_tokens_details: { cached_tokens: USAGE.cached },
  completion_tokens_details: { reasoning_tokens: USAGE.reasoning },
};

const chat = {
  path: /\/chat\/completions$/,
  read: (body) => {
    const tools = (body.tools ?? []).map((tool) => ({ name: tool.function?.name, schema: tool.function?.parameters }));
    // An agent without tools sends the output of its command as a message of the user.
    const role = tools.length === 0 ? 'assistant' : 'tool';
    const results = body.messages.filter((message) => message.role === role).length;
    const asked = body.messages.filter((message) => message.role !== 'assistant');
    return { tools, results, said: asked.map((message) => textOf(message.content)).join('\n') };
  },
  whole: (answer, { body, number }) => {
    const calls = chatCalls(answer, number);
    const message = { role: 'assistant', content: answer.text, ...(calls && { tool_calls: calls }) };
    const choices = [{ index: 0, message, finish_reason: calls ? 'tool_calls' : 'stop' }];
    return { ...chatHead(body, number), object: 'chat.completion', choices, usage: chatUsage };
  },
  events: (answer, { body, number }) => {
    const calls = chatCalls(answer, number)?.map((call) => ({ index: 0, ...call }));
    const head = { ...chatHead(body, number), object: 'chat.completion.chunk' };
    const chunk = (delta, reason = null) => ({ ...head, choices: [{ index: 0, delta, finish_reason: reason }] });
    const chunks = [
      chunk({ role: 'assistant', content: '' }),
      ...pieces(answer.text).map((content) => chunk({ content })),
      ...(calls ? [chunk({ tool_calls: calls })] : []),
      chunk({}, calls ? 'tool_calls' : 'stop'),
      // As OpenAI does: only a request with this option gets usage.
      ...(body.stream_options?.include_usage === true ? [{ ...head, choices: [], usage: chatUsage }] : []),
      '[DONE]',
    ];
    return chunks.map((data) => ({ data }));
  },
};
const chatHead = (body, number) => ({ id: `chatcmpl-${number}`, created: 1_700_000_000, model: body.model });
const chatCalls = ({ tool, args }, number) =>
  tool && [{ id: `call_${number}`, type: 'function', function: { name: tool, arguments: JSON.stringify(args) } }];

const responses = {
  path: /\/responses$/,
  read: (body) => {
    const items = Array.isArray(body.input) ? body.input : [{ role: 'user', content: body.input }];
    return {
      tools: (body.tools ?? []).map((tool) => ({ name: tool.name ?? tool.type, schema: tool.parameters })),
      results: items.filter((item) => /_output$/.test(item.type ?? '')).length,
      said: items
        .filter((item) => item.role === 'user')
        .map((item) => textOf(item.content))
        .join('\n'),
    };
  },
  whole: (answer, { body, number }) => ({
    id: `resp_${number}`,
    object: 'response',
    created_at: 1_700_000_000,
    status: 'completed',
    model: body.model,
    output: responseItems(answer, number),
    usage: {
      input_tokens: USAGE.input,
      input_tokens_details: { cached_tokens: USAGE.cached },
      output_tokens: USAGE.output,
      output_tokens_details: { reasoning_tokens: USAGE.reasoning },
      total_tokens: USAGE.input + USAGE.output,
    },
  }),
  events: (answer, request) => {
    const whole = responses.whole(answer, request);
    const begun = { ...whole, status: 'in_progress', output: [], usage: null };
    const events = [
      { type: 'response.created', response: begun },
      ...whole.output.flatMap((item, index) => itemEvents(item, index)),
      { type: 'response.completed', response: whole },
    ];
    return events.map((data, index) => ({ event: data.type, data: { ...data, sequence_number: index } }));
  },
};

function responseItems({ text, tool, args }, number) {
  const content = [{ type: 'output_text', text, annotations: [] }];
  const message = { type: 'message', id: `m_${number}`, role: 'assistant', status: 'completed', content };
  if (tool === undefined) return [message];
  const call = { type: 'function_call', id: `fc_${number}`, call_id: `call_${number}`, name: tool };
  return [message, { ...call, arguments: JSON.stringify(args), status: 'completed' }];
}

function itemEvents(item, index) {
  const at = { output_index: index };
  const deltas = item.type === 'message' ? pieces(item.content[0].text) : [];
  const delta = { type: 'response.output_text.delta', item_id: item.id, ...at, content_index: 0 };
  return [
    { type: 'response.output_item.added', ...at, item },
    ...deltas.map((text) => ({ ...delta, delta: text })),
    { type: 'response.output_item.done', ...at, item },
  ];
}

const messagesUsage = {
  input_tokens: USAGE.input,
  output_tokens: USAGE.output,
  cache_creation_input_tokens: 0,
  cache_read_input_tokens: USAGE.cached,
};

const messages = {
  path: /\/messages$/,
  read: (body) => ({
    tools: (body.tools ?? []).map((tool) => ({ name: tool.name, schema: tool.input_schema })),
    results: body.messages
      .flatMap((message) => (Array.isArray(message.content) ? message.content : []))
      .filter((part) => part.type === 'tool_result').length,
    said: body.messages
      .filter((message) => message.role === 'user')
      .map((each) => textOf(each.content))
      .join('\n'),
  }),
  whole: ({ text, tool, args }, { body, number }) => {
    const use = tool === undefined ? [] : [{ type: 'tool_use', id: `toolu_${number}`, name: tool, input: args }];
    return {
      id: `msg_${number}`,
      type: 'message',
      role: 'assistant',
      model: body.model,
      content: [{ type: 'text', text }, ...use],
      stop_reason: tool === undefined ? 'end_turn' : 'tool_use',
      stop_sequence: null,
      usage: messagesUsage,
    };
  },
  events: (answer, request) => {
    const whole = messages.whole(answer, request);
    // The first number of output tokens is a placeholder, as in Anthropic's own streams.
    const begun = { ...whole, content: [], stop_reason: null, usage: { ...messagesUsage, output_tokens: 1 } };
    const end = { stop_reason: whole.stop_reason, stop_sequence: null };
    const events = [
      { type: 'message_start', message: begun },
      ...whole.content.flatMap((part, index) => partEvents(part, index)),
      { type: 'message_delta', delta: end, usage: { output_tokens: USAGE.output } },
      { type: 'message_stop' },
    ];
    return events.map((data) => ({ event: data.type, data }));
  },
};

function partEvents(part, index) {
  const isText = part.type === 'text';
  const empty = isText ? { type: 'text', text: '' } : { ...part, input: {} };
  const deltas = isText
    ? pieces(part.text).map((text) => ({ type: 'text_delta', text }))
    : [{ type: 'input_json_delta', partial_json: JSON.stringify(part.input) }];
  return [
    { type: 'content_block_start', index, content_block: empty },
    ...deltas.map((delta) => ({ type: 'content_block_delta', index, delta })),
    { type: 'content_block_stop', index },
  ];
}

const gemini = {
  path: /:(generateContent|streamGenerateContent)$/,
  streams: (path) => path.endsWith(':streamGenerateContent'),
  read: (body) => {
    const declared = (body.tools ?? []).flatMap((tool) => tool.functionDeclarations ?? []);
    const parts = (body.contents ?? []).flatMap((content) => content.parts ?? []);
    return {
      tools: declared.map((each) => ({
        name: each.name,
        schema: lowerTypes(each.parameters ?? each.parametersJsonSchema),
      })),
      results: parts.filter((part) => part.functionResponse !== undefined).length,
      said: parts.map((part) => part.text ?? '').join('\n'),
    };
  },
  whole: ({ text, tool, args }) => {
    const call = tool === undefined ? [] : [{ functionCall: { name: tool, args } }];
    return {
      candidates: [{ index: 0, content: { role: 'model', parts: [{ text }, ...call] }, finishReason: 'STOP' }],
      usageMetadata: {
        promptTokenCount: USAGE.input,
        // Gemini reports thoughts beside the candidates: the sum is the answer.
        candidatesTokenCount: USAGE.output - USAGE.reasoning,
        thoughtsTokenCount: USAGE.reasoning,
        totalTokenCount: USAGE.input + USAGE.output,
        cachedContentTokenCount: USAGE.cached,
      },
      modelVersion: 'scripted',
    };
  },
  events: (answer, request) => [{ data: gemini.whole(answer, request) }],
};

/** Gemini's schemas write types in upper case. */
const lowerTypes = (schema) =>
  JSON.parse(JSON.stringify(schema ?? {}).replace(/"type":"([A-Z]+)"/g, (whole) => whole.toLowerCase()));

export const PROTOCOLS = [chat, responses, messages, gemini];
