import { z } from 'zod';

/** One number or choice that a proposer may set: `const NAME = value` or `NAME = value` in a file. */
export const Knob = z.discriminatedUnion('type', [
  z.strictObject({
    file: z.string().min(1),
    name: z.string().min(1),
    type: z.enum(['float', 'int']),
    range: z.tuple([z.number(), z.number()]),
    scale: z.enum(['linear', 'log']).default('linear'),
  }),
  z.strictObject({
    file: z.string().min(1),
    name: z.string().min(1),
    type: z.literal('choice'),
    values: z.array(z.union([z.string(), z.number(), z.boolean()])).min(2),
  }),
]);

export type Knob = z.infer<typeof Knob>;
