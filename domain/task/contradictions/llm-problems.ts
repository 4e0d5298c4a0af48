import { type Problem, describeValue } from '../../issue/problem.ts';
import { asSettings } from '../../method/axis.ts';
import type { ModelSettings } from '../../llm/asked-model.ts';
import { PROVIDERS } from '../../llm/providers.ts';
import { OPERATOR_NAMES, operatorOf, type OperatorWeights } from '../../search/operator/table.ts';
import { needsOfMaker } from '../../search/proposer/makers.ts';
import type { Task } from '../task.ts';
import { makersAt } from './mixture-problems.ts';

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
  toolconfig: null,
  system: null,
  systeminstruction: null,
  contents: null,
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

/** Problems of `llm`: keys of its body that Perpetua sets itself, credentials, and a temperature that is refused. */
export const llmProblems = ({ llm }: Pick<Task, 'llm'>): Problem[] => [
  ...problemsIn(llm.body, ['llm', 'body'], true),
  ...temperatureProblems(llm, ['llm']),
];

/** The same of proposers that ask a model with settings of their own, and operators that need what the task lacks. */
export function modelSettingsProblems(task: Task): Problem[] {
  return makersAt(task)
    .filter(({ maker }) => needsOfMaker(maker).includes('model'))
    .flatMap(({ maker: { method, settings }, path }) => {
      const own: ModelSettings = asSettings(settings);
      const weights = method.operators?.(asSettings(settings)) ?? {};
      return [
        ...problemsIn(own.body, [...path, 'body'], true),
        ...temperatureProblems({ provider: task.llm.provider, ...own }, path),
        ...operatorProblems(weights, { knobs: task.knobs, path }),
      ];
    });
}

function temperatureProblems({ provider, temperature }: ModelSettings, path: Path): Problem[] {
  if (provider === undefined || temperature === undefined || temperature === null) return [];
  const { mostTemperature } = PROVIDERS[provider];
  if (temperature <= mostTemperature) return [];
  return [
    {
      path: [...path, 'temperature'],
      expected: `at most ${mostTemperature}, which ${provider} accepts`,
      got: describeValue(temperature),
      todo: 'lower it, or set null to send none',
    },
  ];
}

function operatorProblems(
  weights: OperatorWeights,
  { knobs, path }: { knobs: readonly unknown[]; path: Path },
): Problem[] {
  if (knobs.length > 0) return [];
  const named = OPERATOR_NAMES.filter((name) => weights[name] !== undefined);
  return named
    .filter((name) => operatorOf(name).operator.changes === 'knobs')
    .map((name) => ({
      path: [...path, 'operators'],
      expected: `knobs in the task, since the operator ${name} sets them`,
      got: 'no knobs',
      todo: 'list knobs (file, name, type, range), or use another operator',
    }));
}

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
