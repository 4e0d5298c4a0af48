import { z } from 'zod';
import {
  ChangeTaskArgs,
  InjectOnceArgs,
  NoArgs,
  NoteArgs,
  OverrideVerdictArgs,
  SetBudgetArgs,
  SetWindowArgs,
  StopArgs,
} from '../../../domain/messages.ts';

/** `GET steering`: true if this page may steer, with the token that each `POST` needs. */
export const Steering = z.object({ on: z.boolean(), token: z.string().nullable() });
export type Steering = z.infer<typeof Steering>;

/** A task's name, or a folder of the worker's machine: the page has no current folder. */
const TaskName = ChangeTaskArgs.refine(
  ({ task }) => task.startsWith('/') || !(task.includes('/') || /^\.+$/.test(task)),
  {
    path: ['task'],
    error: 'a built-in name, or the absolute path of a folder on the machine of the worker',
  },
);
/** A change of at least one limit. */
const BudgetChange = SetBudgetArgs.refine((change) => Object.keys(change).length > 0, 'at least one limit to change');

/** Bodies of `POST steer/:action/:id`, by action. The id is a research's; `overrule` names the trial in its body. */
export const STEER_BODIES = {
  pause: NoArgs,
  resume: NoArgs,
  stop: StopArgs,
  note: NoteArgs,
  budget: BudgetChange,
  window: SetWindowArgs,
  task: TaskName,
  inject: InjectOnceArgs,
  overrule: OverrideVerdictArgs,
  start: NoArgs,
} as const;
export type SteerAction = keyof typeof STEER_BODIES;

/** Answer to a message: what changed and what it was before, and notes. */
export const Steered = z.object({ lines: z.array(z.string()), notes: z.array(z.string()) });
export type Steered = z.infer<typeof Steered>;

/** `GET research/:id/mutable`: the mutable files of the claimed best, which a person changes for an idea. */
export const Mutable = z.object({ files: z.array(z.object({ path: z.string(), text: z.string() })) });
export type Mutable = z.infer<typeof Mutable>;
