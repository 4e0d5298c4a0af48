/** A step or a warning of the start of a stack. */
export interface SetupStep {
  part: string;
  text: string;
  state: 'running' | 'done' | 'warning' | 'failed';
  /** Time of its last change, in ISO 8601. */
  at: string;
  /** Progress of the step, in words. */
  progress?: string | undefined;
}

/** The start of a stack, so far. */
export interface SetupView {
  startedAt: string | null;
  done: boolean;
  steps: SetupStep[];
}

export type SetupEvent = { type: 'step' | 'ready' | 'warning' | 'progress'; part: string; text: string };

/** Largest number of steps, above any normal start. Beyond it the first and the newest steps are kept. */
const MOST_STEPS = 100;

/** Adds an event to the start. A new step of a part ends the part's step before; `ready` also replaces its text. */
export function withEvent(view: SetupView, event: SetupEvent, at: string): SetupView {
  const { part, text } = event;
  const steps = [...view.steps];
  const running = steps.findIndex((step) => step.part === part && step.state === 'running');
  const now = steps[running];
  switch (event.type) {
    case 'step':
      if (now) steps[running] = { ...withoutProgress(now), state: 'done' };
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
  const shown = steps.length > MOST_STEPS ? [...steps.slice(0, 1), ...steps.slice(1 - MOST_STEPS)] : steps;
  return { ...view, steps: shown };
}

/** Ends the start. Its running steps are done; with a `failure` they failed, and a last step has the reason. */
export function withEnd(view: SetupView, failure: string | null, at: string): SetupView {
  const state = failure === null ? ('done' as const) : ('failed' as const);
  const steps = view.steps.map((step) => (step.state === 'running' ? { ...withoutProgress(step), state, at } : step));
  return {
    ...view,
    done: failure === null,
    steps: failure === null ? steps : [...steps, { part: 'stack', text: failure, state, at }],
  };
}

const withoutProgress = ({ part, text, at }: SetupStep) => ({ part, text, at });
