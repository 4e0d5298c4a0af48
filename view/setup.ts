/** One thing that the start of a stack did, does, or came upon. */
export interface SetupStep {
  part: string;
  text: string;
  state: 'running' | 'done' | 'warning' | 'failed';
  /** ISO 8601, of its last change. */
  at: string;
  /** How far it is, in words. */
  progress?: string | undefined;
}

/** How the start of a stack goes. */
export interface SetupView {
  startedAt: string | null;
  done: boolean;
  steps: SetupStep[];
}

export type SetupEvent = { type: 'step' | 'ready' | 'warning' | 'progress'; part: string; text: string };

/** More than any start tells; the first and the newest are kept. */
const MOST = 100;

/** The start with one more event in it: a step of a part ends the one before it, `ready` ends it under its own words. */
export function withEvent(view: SetupView, event: SetupEvent, at: string): SetupView {
  const { part, text } = event;
  const steps = [...view.steps];
  const running = steps.findIndex((step) => step.part === part && step.state === 'running');
  const now = steps[running];
  switch (event.type) {
    case 'step':
      if (now) steps[running] = { ...without(now), state: 'done' };
      steps.push({ part, text, state: 'running', at });
      break;
    case 'progress':
      if (now) steps[running] = { ...now, at, progress: text };
      else steps.push({ part, text, state: 'running', at });
      break;
    case 'ready':
      if (now) steps[running] = { part, text, state: 'done', at };
      else steps.push({ part, text, state: 'done', at });
      break;
    case 'warning':
      steps.push({ part, text, state: 'warning', at });
  }
  return { ...view, steps: steps.length > MOST ? [...steps.slice(0, 1), ...steps.slice(1 - MOST)] : steps };
}

/** The start when it is over: all is done, or what ran then failed, with the reason. */
export function withEnd(view: SetupView, failure: string | null, at: string): SetupView {
  const state = failure === null ? ('done' as const) : ('failed' as const);
  const steps = view.steps.map((step) => (step.state === 'running' ? { ...without(step), state, at } : step));
  return {
    ...view,
    done: failure === null,
    steps: failure === null ? steps : [...steps, { part: 'stack', text: failure, state, at }],
  };
}

const without = ({ part, text, at }: SetupStep) => ({ part, text, at });
