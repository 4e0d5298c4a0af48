import { shownValue } from '../knob/knob-form.ts';
import type { Knob } from '../knob/knob.ts';
import { numberText } from '../text/format.ts';
import { truncate, promptLine, stripControls } from './strip-controls.ts';
import { FAILURE_DESCRIPTIONS } from './failure-descriptions.ts';
import type { HistoryEntry, PromptInput } from './prompt-input.ts';

/** Input of a prompt for knob values. */
export interface KnobPrompt extends Pick<PromptInput, 'prompt' | 'history' | 'notes'> {
  task: Pick<PromptInput['task'], 'description' | 'metric'>;
  knobs: readonly Knob[];
}

/** Most characters of the task's text, and of each list of results or advice. */
const TEXT_CHARACTERS = 16_000;
const LIST_CHARACTERS = 4_000;

/** A text for a model to continue. Its end, `start`, is the beginning of the answer. */
export interface KnobText {
  text: string;
  /** Text that the reader puts before the completion. */
  start: string;
}

/**
 * A prompt for the values of all knobs, as plain text that ends with `name =` for the model to continue. It has the
 * task's own text, or its description and each knob's range, then earlier results and advice if there are any.
 *
 * SmolLM2-135M gives a value in one of thirty chat answers, and in three of four continuations after the name. It
 * copies numbers from its prompt, so the prompt has no numbers except those of ranges, results and the task's own text.
 */
export function knobText(input: KnobPrompt): KnobText {
  const names = input.knobs.map(({ name }) => name);
  const start = `${names[0] ?? ''} =`;
  const parts = knobParts(input);
  if (names.length > 1) parts.push(`One line for each of ${names.join(', ')}, as name = value:`);
  parts.push(start);
  return { text: parts.join('\n\n'), start };
}

function knobParts({ prompt, task, knobs, history, notes }: KnobPrompt): string[] {
  const taskText = prompt?.trim() ?? '';
  const results = history.map((entry) => resultLine(entry, task.metric.name));
  const advice = notes.map((note) => `- ${promptLine(note, 500)}`);
  const parts = [truncate(stripControls(taskText === '' ? describe(task, knobs) : taskText), TEXT_CHARACTERS, 'head')];
  if (results.length > 0) parts.push(newestLines('Tried before:', results));
  if (advice.length > 0) parts.push(newestLines('Advice:', advice));
  return parts;
}

function describe({ description, metric }: KnobPrompt['task'], knobs: readonly Knob[]): string {
  const better = metric.direction === 'minimize' ? 'lower' : 'higher';
  const lines = knobs.map((knob) => `- ${knob.name}: ${rangeText(knob)}`);
  return [
    promptLine(description, 2000),
    `Choose values. The score is ${metric.name}, ${better} is better.`,
    lines.join('\n'),
  ].join('\n\n');
}

function rangeText(knob: Knob): string {
  if (knob.type === 'choice') return `one of ${knob.values.map((value) => shownValue(value, knob)).join(', ')}`;
  const [low, high] = knob.range;
  const scale = knob.scale === 'log' ? ', on a logarithmic scale' : '';
  return `a ${knob.type === 'int' ? 'whole number' : 'number'} from ${low} to ${high}${scale}`;
}

/** A heading and as many of the newest lines as fit, oldest first. */
function newestLines(head: string, lines: readonly string[]): string {
  let room = LIST_CHARACTERS;
  const kept: string[] = [];
  for (const line of lines.toReversed()) {
    room -= line.length + 1;
    if (room < 0) break;
    kept.unshift(line);
  }
  return [head, ...kept].join('\n');
}

function resultLine({ n, hypothesis, value, failure, status }: HistoryEntry, metric: string): string {
  const failed = failure ? FAILURE_DESCRIPTIONS[failure.label] : status;
  const result = value === null ? failed : `${metric} ${numberText(value)}`;
  return `- ${promptLine(hypothesis, 200) || `trial ${n}`}: ${result}`;
}
