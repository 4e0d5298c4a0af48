import type { Knob } from '../knob/knob.ts';
import { numberText } from '../text/format.ts';
import { truncate, promptLine, stripControls } from './strip-controls.ts';
import { FAILURE_DESCRIPTIONS } from './failure-descriptions.ts';
import type { HistoryEntry, PromptInput } from './prompt-input.ts';

/** All that a prompt for values of knobs is made of. */
export interface KnobPrompt extends Pick<PromptInput, 'prompt' | 'history' | 'notes'> {
  task: Pick<PromptInput['task'], 'description' | 'metric'>;
  knobs: readonly Knob[];
}

/** Characters of the task's own text, and of results or advice. */
const TEXT = 16_000;
const TOLD = 4_000;

/** A text to be continued, and its end, with which the answer begins. */
export interface KnobText {
  text: string;
  /** Stands before a completion when it is read. */
  start: string;
}

/**
 * A prompt for values of every knob as plain text that a model goes on with, `name =` at its end: the task's own text, else its
 * description with each knob's range; earlier results and advice where there are any. SmolLM2-135M, asked in a chat, gives a
 * value in one answer of thirty; going on after the name, in three of four. It copies the numbers that it is shown, so there
 * are none but those of ranges, results and the task's own words.
 */
export function knobText(input: KnobPrompt): KnobText {
  const names = input.knobs.map(({ name }) => name);
  const start = `${names[0] ?? ''} =`;
  const several = names.length > 1 ? [`One line for each of ${names.join(', ')}, as name = value:`] : [];
  return { text: [...knobParts(input), ...several, start].join('\n\n'), start };
}

function knobParts({ prompt, task, knobs, history, notes }: KnobPrompt): string[] {
  const own = prompt?.trim() ?? '';
  const results = history.map((entry) => resultLine(entry, task.metric.name));
  return [
    truncate(stripControls(own === '' ? describe(task, knobs) : own), TEXT, 'head'),
    ...(results.length === 0 ? [] : [told('Tried before:', results)]),
    ...(notes.length === 0
      ? []
      : [
          told(
            'Advice:',
            notes.map((note) => `- ${promptLine(note, 500)}`),
          ),
        ]),
  ];
}

function describe({ description, metric }: KnobPrompt['task'], knobs: readonly Knob[]): string {
  const better = metric.direction === 'minimize' ? 'lower' : 'higher';
  const lines = knobs.map((knob) => `- ${knob.name}: ${rangeText(knob)}`);
  return `${promptLine(description, 2000)}\n\nChoose values. The score is ${metric.name}, ${better} is better.\n\n${lines.join('\n')}`;
}

function rangeText(knob: Knob): string {
  if (knob.type === 'choice') return `one of ${knob.values.map(String).join(', ')}`;
  const [low, high] = knob.range;
  const scale = knob.scale === 'log' ? ', on a logarithmic scale' : '';
  return `a ${knob.type === 'int' ? 'whole number' : 'number'} from ${low} to ${high}${scale}`;
}

/** The newest lines that there is room for, oldest first. */
function told(head: string, lines: readonly string[]): string {
  let left = TOLD;
  const kept: string[] = [];
  for (const line of lines.toReversed()) {
    left -= line.length + 1;
    if (left < 0) break;
    kept.unshift(line);
  }
  return [head, ...kept].join('\n');
}

function resultLine({ n, hypothesis, value, failure, status }: HistoryEntry, metric: string): string {
  const became =
    value === null ? (failure ? FAILURE_DESCRIPTIONS[failure.label] : status) : `${metric} ${numberText(value)}`;
  return `- ${promptLine(hypothesis, 200) || `trial ${n}`}: ${became}`;
}
