import type { Setup } from '../../../api/setup.ts';
import { Panel } from '../../parts/panel.tsx';
import { UntrustedText } from '../../parts/untrusted-text.tsx';
import { TimeAgo } from '../../parts/value.tsx';

type Step = Setup['steps'][number];

const LOOKS: Record<Step['state'], { word: string; path: string }> = {
  running: { word: 'under way', path: 'M6 1.5a4.5 4.5 0 1 1-4.5 4.5' },
  done: { word: 'done', path: 'M2 6.5 5 9.5 10.5 2.5' },
  warning: { word: 'warning', path: 'M6 1.5v6M6 9.6v.8' },
  failed: { word: 'failed', path: 'M2.5 2.5l7 7M9.5 2.5l-7 7' },
};

/** Panel with the steps of starting the stack, and the progress of those under way. */
export function SetupSteps({ setup }: { setup: Setup }) {
  const { steps, done, startedAt } = setup;
  return (
    <Panel
      title={done ? 'Everything is up' : 'Setting up'}
      note={
        startedAt === null ? undefined : (
          <>
            started <TimeAgo at={startedAt} />
          </>
        )
      }
    >
      <ol className="steps" aria-live="polite">
        {steps.map((step, index) => (
          <StepLine key={index} step={step} />
        ))}
      </ol>
    </Panel>
  );
}

function StepLine({ step: { part, text, state, progress, at } }: { step: Step }) {
  const { word, path } = LOOKS[state];
  return (
    <li data-state={state}>
      <svg width="14" height="14" viewBox="0 0 12 12" aria-hidden="true">
        <path d={path} fill="none" stroke="currentColor" strokeWidth="1.8" strokeLinecap="round" />
      </svg>
      <span className="part quiet">{part}</span>
      <span className="text">
        <UntrustedText text={text} line max={300} />
        {progress === undefined ? null : (
          <span className="progress quiet small">
            <UntrustedText text={progress} line max={300} />
          </span>
        )}
      </span>
      <span className="quiet small state">
        {word} · <TimeAgo at={at} />
      </span>
    </li>
  );
}
