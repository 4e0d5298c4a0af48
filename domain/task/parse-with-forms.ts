import type { z } from 'zod';
import type { Knob } from '../knob/knob.ts';
import { withoutForms } from '../knob/knob-form.ts';
import { Task } from './task.ts';

/** Parses a task whose knobs may have the forms that were added when its task.yaml was read; the forms stay. */
export function parseWithForms(value: object): z.ZodSafeParseResult<Task> {
  const knobs: unknown = Reflect.get(value, 'knobs');
  if (!Array.isArray(knobs)) return Task.safeParse(value);
  const parsed = Task.safeParse({ ...value, knobs: withoutForms(knobs as Knob[]) });
  if (!parsed.success) return parsed;
  const withForm = parsed.data.knobs.map((knob, i): Knob => {
    const { form } = knobs[i] as Knob;
    return form === undefined ? knob : { ...knob, form };
  });
  return { ...parsed, data: { ...parsed.data, knobs: withForm } };
}
