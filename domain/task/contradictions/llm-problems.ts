import { type Problem, describeValue } from '../../issue/problem.ts';
import type { Task } from '../task.ts';

type Path = Problem['path'];

function anyOf(...patterns: string[]): RegExp {
  return new RegExp(`^(?:${patterns.join('|')})$`);
}

/** A key in lower case without separators: `maxTokens`, `max_tokens` and `max-tokens` are the same key. */
const plain = (key: string): string => key.toLowerCase().replace(/[^a-z0-9]/g, '');

/** Keys that Perpetua sets itself, each with the key of the task that sets it, or null. */
const OWN: Record<string, string | null> = {
  model: 'llm.model',
  temperature: 'llm.temperature',
  messages: null,
  prompt: null,
  input: null,
  n: null,
  stream: null,
  streamoptions: null,
  tools: null,
  toolchoice: null,
  functions: null,
  functioncall: null,
};

/** Names of the limit of an answer's tokens; `llm.maxTokens` sets it. */
const LIMITS = anyOf(
  'max(?:imum)?(?:output|completion|new|gen|generated|generation|decode|response|total)?(?:tokens?|length|len)',
  'max(?:imum)?tokenstosample',
  'num(?:predict|tokens)',
  'outputtokens?',
);

const CREDENTIALS = anyOf(
  '(?:.*(?:api|access|secret|private|auth|subscription))?keys?',
  '(?:proxy)?auth(?:orization)?',
  '(?:.*(?:access|auth|bearer|api|id|refresh|session|security))?token',
  'bearer',
  '.*(?:password|passwd|credentials?)',
  '(?:client)?secrets?',
  '(?:extra|default)?headers',
  'cookies?',
);

/** Keys whose content endpoints merge into the request. */
const MERGED = new Set(['extrabody', 'extraparams']);

/** Problems of `llm.body`: keys that Perpetua sets itself, and credentials, which task.yaml must not contain. */
export const llmProblems = ({ llm }: Pick<Task, 'llm'>): Problem[] => problemsIn(llm.body, ['llm', 'body'], true);

function problemsIn(value: unknown, path: Path, isRequest: boolean): Problem[] {
  if (Array.isArray(value)) return value.flatMap((each, index) => problemsIn(each, [...path, index], false));
  // JSON has no such number: the endpoint would receive null.
  if (typeof value === 'number' && !Number.isFinite(value))
    return [{ path, expected: 'a finite number', got: describeValue(value), todo: 'correct or remove it' }];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) => {
    const at = [...path, key];
    const name = plain(key);
    const problem = problemOf(name, isRequest);
    return problem === null
      ? problemsIn(inner, at, isRequest && MERGED.has(name))
      : [{ path: at, got: CREDENTIALS.test(name) ? 'a value, which is not shown' : describeValue(inner), ...problem }];
  });
}

function problemOf(name: string, isRequest: boolean): Pick<Problem, 'expected' | 'todo'> | null {
  if (CREDENTIALS.test(name))
    return {
      expected: 'no credential: task.yaml is stored, and shown to everyone who sees the research',
      todo: 'remove it, and set OPENAI_API_KEY in the environment of the worker',
    };
  // Below the request, `maxLength` may be a keyword of a JSON schema.
  if (LIMITS.test(name) && (isRequest || /token|predict/.test(name)))
    return { expected: 'no limit of tokens, which Perpetua sets itself', todo: 'set llm.maxTokens instead' };
  if (!isRequest || !Object.hasOwn(OWN, name)) return null;
  const instead = OWN[name] ?? null;
  return {
    expected: 'a key that Perpetua does not set itself',
    todo: instead === null ? 'remove it' : `set ${instead} instead`,
  };
}
