import type { ComponentType } from 'react';
import type { Research } from '../../api/research.ts';
import type { Steered } from '../../api/steer/steering.ts';
import { Field, SteerDialog } from './dialog.tsx';
import { InjectDialog } from './inject-dialog.tsx';

/** Properties of each dialog of a research. */
export interface DialogProps {
  research: Research;
  onDone: (done: Steered) => void;
  onFailed: (error: string) => void;
  onClose: () => void;
}

const textIn = (fields: FormData, name: string): string => {
  const value = fields.get(name);
  return typeof value === 'string' ? value : '';
};

/** A number, or the text as it is: the server refuses it with the name of its key. */
const numberOr = (text: string): number | string => {
  const value = Number(text);
  return text.trim() === '' || !Number.isFinite(value) ? text : value;
};

function StopDialog({ research: { status }, ...rest }: DialogProps) {
  const id = status.workflowId;
  return (
    <SteerDialog
      {...rest}
      title={`Stop ${id}?`}
      effect="No new trial starts. The research ends once its trials have ended. You can start it again afterwards."
      submit="Stop"
      action="stop"
      id={id}
      toBody={(fields) => ({ now: fields.has('now') })}
    >
      <label className="steer-check small">
        <input type="checkbox" name="now" /> Cancel the runs under way, too
      </label>
    </SteerDialog>
  );
}

function NoteDialog({ research: { status }, ...rest }: DialogProps) {
  const id = status.workflowId;
  return (
    <SteerDialog
      {...rest}
      title={`Note for ${id}`}
      effect="The note enters the next prompts of the proposer."
      submit="Add the note"
      action="note"
      id={id}
      toBody={(fields) => ({ text: textIn(fields, 'text') })}
    >
      <Field label="Note">
        <textarea name="text" rows={4} maxLength={4000} required />
      </Field>
    </SteerDialog>
  );
}

function WindowDialog({ research: { status }, ...rest }: DialogProps) {
  const id = status.workflowId;
  return (
    <SteerDialog
      {...rest}
      title={`Window of ${id}`}
      effect="The window is the number of trials that are under way at once."
      submit="Set the window"
      action="window"
      id={id}
      toBody={(fields) => ({ window: numberOr(textIn(fields, 'window')) })}
    >
      <Field label="Window" hint="a number, or auto">
        <input name="window" required defaultValue={status.window ?? 'auto'} />
      </Field>
    </SteerDialog>
  );
}

function BudgetDialog({ research: { status }, ...rest }: DialogProps) {
  const { workflowId: id, budget } = status;
  const limits = (Object.keys(budget) as (keyof typeof budget)[]).filter((key) => key !== 'whenSpent');
  const before = Object.fromEntries(limits.map((key) => [key, budget[key].limit?.toString() ?? '']));
  const toBody = (fields: FormData): object => {
    const changed = limits.filter((key) => textIn(fields, key).trim() !== before[key]);
    const values = changed.map((key): [string, number | string | null] => {
      const text = textIn(fields, key).trim();
      return [key, text === '' ? null : numberOr(text)];
    });
    const whenSpent = textIn(fields, 'whenSpent');
    return { ...Object.fromEntries(values), ...(whenSpent === budget.whenSpent ? {} : { whenSpent }) };
  };
  return (
    <SteerDialog
      {...rest}
      title={`Budget of ${id}`}
      effect="An empty field is no limit. Fields that you leave as they are do not change."
      submit="Change the budget"
      action="budget"
      id={id}
      toBody={toBody}
    >
      <div className="steer-fields">
        {limits.map((key) => (
          <Field key={key} label={key}>
            <input name={key} inputMode="decimal" defaultValue={before[key]} />
          </Field>
        ))}
        <Field label="whenSpent" hint="once a limit is reached">
          <select name="whenSpent" defaultValue={budget.whenSpent}>
            <option value="stop">stop</option>
            <option value="wait">wait for a raise</option>
          </select>
        </Field>
      </div>
    </SteerDialog>
  );
}

function TaskDialog({ research: { status }, ...rest }: DialogProps) {
  const id = status.workflowId;
  return (
    <SteerDialog
      {...rest}
      title={`Task of ${id}`}
      effect="The research uses the task as its folder is now, or another task. If scores are no longer comparable, the
        baseline is measured again."
      submit="Change the task"
      action="task"
      id={id}
      toBody={(fields) => ({ task: textIn(fields, 'task') })}
    >
      <Field label="Task" hint="a built-in name, or the absolute path of a folder on the worker's machine">
        <input name="task" required defaultValue={status.task} />
      </Field>
    </SteerDialog>
  );
}

/** The dialogs of a research, by the label of their buttons. */
export const DIALOGS = {
  'Note…': NoteDialog,
  'Inject…': InjectDialog,
  'Budget…': BudgetDialog,
  'Window…': WindowDialog,
  'Task…': TaskDialog,
  'Stop…': StopDialog,
} satisfies Record<string, ComponentType<DialogProps>>;
export type DialogLabel = keyof typeof DIALOGS;
