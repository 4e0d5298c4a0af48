import { z } from 'zod';
import type { Answer } from '../answer.ts';
import type { Call } from '../session.ts';

export interface Tool {
  name: string;
  title: string;
  description: string;
  input: z.ZodObject;
  /** True if the tool changes nothing. */
  readOnly: boolean;
  run: (args: never, call: Call) => Promise<Answer>;
}

/** A tool whose arguments have the types of its schema. */
export const tool = <Shape extends z.ZodRawShape>({
  input,
  run,
  ...rest
}: Omit<Tool, 'input' | 'run'> & {
  input: Shape;
  run: (args: z.infer<z.ZodObject<Shape>>, call: Call) => Promise<Answer>;
}): Tool => ({ ...rest, input: z.strictObject(input), run });

/** Arguments that several tools have. */
export const RESEARCH = z
  .string()
  .min(1)
  .max(300)
  .optional()
  .describe('Id of the research. Optional if there is only one.');

export const TRIAL = z
  .string()
  .min(1)
  .max(320)
  .describe('The trial as <id>/<n>, such as nano-lm/12; or its number, if there is only one research.');

/** The words of an optional argument, after the options of a command. */
export const after = (word: string | undefined): string[] => (word === undefined ? [] : ['--', word]);
