import { z } from 'zod';

const file = z.string().min(1).describe('path of a file in the workspace');
const name = z.string().min(1).describe('name that the file assigns, such as `LR` in `LR = 0.1`');
const TYPE = 'type of the value';

/** A number or choice in a file that a proposer may set: `const NAME = value` or `NAME = value`. */
export const Knob = z.discriminatedUnion('type', [
  z.strictObject({
    file,
    name,
    type: z.enum(['float', 'int']).describe(TYPE),
    range: z
      .tuple([z.number(), z.number()])
      .describe('smallest and largest value of a float or int; the value in the file must lie in this range'),
    scale: z.enum(['linear', 'log']).default('linear').describe('scale on which values of a float or int are drawn'),
  }),
  z.strictObject({
    file,
    name,
    type: z.literal('choice').describe(TYPE),
    values: z
      .array(z.union([z.string(), z.number(), z.boolean(), z.null()]))
      .min(2)
      .describe('values of a choice, null included; the value in the file must be among them'),
  }),
]);

/** The form of a knob's values, which the parsed values have lost. It is no key of task.yaml. */
export interface KnobForm {
  /** True if task.yaml writes one of the values with a point or an exponent. */
  float?: boolean;
  /** The word that stands for null among the values in task.yaml: `None`; empty for an item without a value. */
  nullWord?: string;
  /** The literal in the unmodified file. */
  original?: string;
}

export type Knob = z.infer<typeof Knob> & {
  /** Added when task.yaml is read. */
  form?: KnobForm;
};
