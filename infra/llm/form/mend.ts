import type { LlmRequest } from '../../llm.ts';
import { bodyOf, type Form, LIMIT_KEYS, type LimitKey, tokensIn } from './form.ts';
import { isModerated } from './is-moderated.ts';
import { contextTokens, isTooLong, lowerLimit } from './length.ts';

/** A refused request: the status, and all texts of the error in lower case, one a line. */
export interface Refusal {
  status: number;
  words: string;
}

/** A changed form, and the change in words. */
export interface Mended {
  form: Form;
  change: string;
}

/** Statuses of errors that concern no form: key, money, rights, name of the model, rate. */
const OTHERS = [401, 402, 403, 404, 407, 408, 429];
/** Statuses that endpoints send for a request of the wrong form. */
const ABOUT_THE_FORM = [400, 422];
/** Words of a refusal. In an error of another status, they have to stand on the line that names the refused part. */
const REFUSES =
  /\b(?:un|not )support|\bdeprecat|\bnot allowed|\b(?:unexpected|unrecogni[sz]ed|unknown|invalid|only|must)\b/;
/** Words of an outage, whose line says nothing about the form. */
const OUTAGE = /overload|capacity|temporar|unavailable|time.?d? ?out|try again|retry|\bbusy\b|restart|maintenance/;

/** Least tokens to which the limit of an answer is lowered. */
const LEAST_TOKENS = 256;

/**
 * The form in which a refused request is sent again; null if the refusal is about something else. Each change is made
 * once, so that the number of changes is limited.
 */
export function mend(form: Form, request: LlmRequest, refusal: Refusal): Mended | null {
  if (OTHERS.includes(refusal.status)) return null;
  if (isModerated(refusal)) return null;
  if (isTooLong(refusal)) return roomForPrompt(form, request, refusal);
  const aboutForm = ABOUT_THE_FORM.includes(refusal.status) ? refusal : onlyRefusals(refusal);
  return (
    streamed(form, aboutForm) ??
    withoutToolChoice(form, request, aboutForm) ??
    withoutTemperature(form, request, aboutForm) ??
    (refusedSetting(request, refusal) === null ? withOtherLimit(form, request, aboutForm) : null) ??
    withoutSystem(form, request, aboutForm)
  );
}

/** A refusal with only those of its lines that refuse something. */
function onlyRefusals({ status, words }: Refusal): Refusal {
  const lines = words.split('\n').filter((line) => (REFUSES.test(line) || TEMPLATE.test(line)) && !OUTAGE.test(line));
  return { status, words: lines.join('\n') };
}

/** Key of `llm.body` that a refusal names; null if it names none. */
export function refusedSetting({ body }: LlmRequest, { words }: Refusal): string | null {
  return Object.keys(body ?? {}).find((key) => names(words, key.toLowerCase())) ?? null;
}

/** True if words contain a key as a word of its own. */
function names(words: string, key: string): boolean {
  const literal = key.replace(/[^a-z0-9_]/g, (character) => `\\${character}`);
  return new RegExp(`(?<![a-z0-9_])${literal}(?![a-z0-9_])`).test(words);
}

/** The word, but not as a part of another name, such as that of a model. */
const STREAM = /(?<![a-z]|(?<!\bnon)-)stream(?:ing|ed|s)?(?![a-z]|-(?!only|mode))/;

function streamed(form: Form, { words }: Refusal): Mended | null {
  if (form.streams && !form.omitted.includes('stream_options') && names(words, 'stream_options'))
    return { form: { ...form, omitted: [...form.omitted, 'stream_options'] }, change: 'leaves out stream_options' };
  if (form.streams || !STREAM.test(words)) return null;
  return { form: { ...form, streams: true }, change: 'requests the answer as a stream' };
}

/** Words for the choice of a tool: `tool_choice`, and those of Gemini. */
const TOOL_CHOICE = /\btool[_ -]?choice\b|\bforced function call|\bfunction[_ ]?calling[_ ]?config\b|\btool_?config\b/;
const TOOLS = /\btools?\b|\btool[_ -](?:use|call)|\bfunction[_ -]?call/;

function withoutToolChoice(form: Form, { tools = [] }: LlmRequest, { words }: Refusal): Mended | null {
  if (tools.length === 0 || form.omitted.includes('tool_choice') || !TOOL_CHOICE.test(words)) return null;
  return { form: { ...form, omitted: [...form.omitted, 'tool_choice'] }, change: 'leaves out tool_choice' };
}

/** True if a refusal says that the endpoint or the model takes no tools. */
export function refusesTools({ tools = [] }: LlmRequest, { status, words }: Refusal): boolean {
  if (tools.length === 0) return false;
  // Gateways that choose among providers answer so.
  if (status === 404 && /\bno (?:endpoint|provider)s?\b.{0,40}\bsupport tool/.test(words)) return true;
  if (OTHERS.includes(status)) return false;
  const aboutForm = ABOUT_THE_FORM.includes(status) ? words : onlyRefusals({ status, words }).words;
  return TOOLS.test(aboutForm);
}

function withoutTemperature(form: Form, request: LlmRequest, { words }: Refusal): Mended | null {
  if (!('temperature' in bodyOf(request, form)) || !/\btemperature\b/.test(words)) return null;
  return { form: { ...form, omitted: [...form.omitted, 'temperature'] }, change: 'leaves out temperature' };
}

/** Lowers the limit of tokens that a refusal calls too large; otherwise sends it under another name, or not at all. */
function withOtherLimit(form: Form, request: LlmRequest, refusal: Refusal): Mended | null {
  const { limitKey } = form;
  if (limitKey === null) return null;
  const lowered = withLowerLimit(form, request, refusal);
  const named = namedLimits(refusal);
  if (lowered !== null || named.length === 0) return lowered;
  const refusedLimits = [...form.refusedLimits, limitKey];
  const next = nextLimit(named, refusedLimits);
  const change = next === null ? `leaves out the limit of tokens` : `sends the limit of tokens as ${next}`;
  return { form: { ...form, limitKey: next, refusedLimits }, change };
}

const namedLimits = ({ words }: Refusal): LimitKey[] =>
  LIMIT_KEYS.filter((key) => names(words, key) || names(words, key.replaceAll('_', '')));

function withLowerLimit(form: Form, request: LlmRequest, { words }: Refusal): Mended | null {
  const tokens = tokensIn(form, request);
  const lower = lowerLimit(words, tokens);
  if (lower === null || lower < Math.min(LEAST_TOKENS, tokens) || lower >= tokens) return null;
  return { form: { ...form, mostTokens: lower }, change: `limits an answer to ${lower} tokens` };
}

/** A name of the limit that the refusal suggests, else the usual names; null if all were refused. */
function nextLimit(named: readonly LimitKey[], refused: readonly LimitKey[]): LimitKey | null {
  const open = [...named, ...LIMIT_KEYS.slice(0, 2)].filter((key) => !refused.includes(key));
  return open[0] ?? null;
}

/** Words by which templates and endpoints refuse the role `system`. */
const NO_SYSTEM =
  /\bsystem\b.{0,80}\b(?:role|message|prompt|instruction)|\broles?\b.{0,80}\bsystem\b|\brole\b.{0,40}\bnot supported/;
const TEMPLATE =
  /roles? must alternate|\bdeveloper (?:instruction|message|role)|\bonly (?:the )?(?:roles )?['"`]?user\b/;

function withoutSystem(form: Form, { messages }: LlmRequest, { words }: Refusal): Mended | null {
  if (form.foldsSystem || !messages.some(({ role }) => role === 'system')) return null;
  if (!NO_SYSTEM.test(words) && !TEMPLATE.test(words)) return null;
  return { form: { ...form, foldsSystem: true }, change: 'sends the system text in the first user message' };
}

/**
 * Lowers the limit of an answer that takes more than half of the context, or that a refusal calls too large. Otherwise
 * null: the prompt has to be shorter.
 */
function roomForPrompt(form: Form, request: LlmRequest, refusal: Refusal): Mended | null {
  if (form.limitKey === null) return null;
  const context = contextTokens(refusal.words);
  if (context === null) return namedLimits(refusal).length > 0 ? withLowerLimit(form, request, refusal) : null;
  const half = Math.floor(context / 2);
  if (half < LEAST_TOKENS || tokensIn(form, request) <= half) return null;
  return { form: { ...form, mostTokens: half }, change: `limits an answer to ${half} tokens, half of the context` };
}
