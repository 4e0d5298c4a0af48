import { useState } from 'react';
import type { Trial } from '../../api/trials/trial.ts';
import { PROPOSAL_KINDS } from '../../../domain/trial.ts';
import { UntrustedText } from '../parts/untrusted-text.tsx';
import { Field, SteerDialog } from './dialog.tsx';
import { Outcome, type Sent } from './outcome.tsx';
import { useSteering } from './send.ts';

const LABELS = { keep: 'Keep', discard: 'Discard' } as const;
type Choice = keyof typeof LABELS;

/** Buttons that replace the gate's verdict on a trial; none if the page may not steer, or the trial has no verdict. */
export function Overrule({ trial }: { trial: Trial }) {
  const isOn = useSteering();
  const [sent, setSent] = useState<Sent>(null);
  const [choice, setChoice] = useState<Choice | null>(null);
  if (!isOn || trial.status !== 'completed' || !PROPOSAL_KINDS.includes(trial.kind)) return null;
  const { research: id, n, verdict, hypothesis } = trial;
  return (
    <section className="steer-bar" aria-label="Overrule the gate">
      <div className="steer-buttons">
        <span className="quiet small">Overrule the gate:</span>
        {(Object.keys(LABELS) as Choice[]).map((key) => (
          <button key={key} type="button" className="button" onClick={() => setChoice(key)}>
            {LABELS[key]}…
          </button>
        ))}
      </div>
      <Outcome sent={sent} />
      {choice === null ? null : (
        <SteerDialog
          title={`${LABELS[choice]} trial #${n} of ${id}?`}
          effect={
            <>
              <p>
                The verdict {verdict} is replaced by yours: {choice}.{' '}
                {choice === 'keep'
                  ? 'The candidate becomes the best of the research.'
                  : 'If the candidate is the best, the claim is taken back.'}
              </p>
              {hypothesis === null ? null : (
                <p className="quiet">
                  Its idea: <UntrustedText text={hypothesis} line max={300} />
                </p>
              )}
            </>
          }
          submit={LABELS[choice]}
          action="overrule"
          id={id}
          toBody={(fields) => ({ n, verdict: choice, reason: fields.get('reason') })}
          onDone={(done) => setSent({ done })}
          onFailed={(error) => setSent({ error })}
          onClose={() => setChoice(null)}
        >
          <Field label="Reason">
            <textarea name="reason" rows={3} maxLength={1000} required />
          </Field>
        </SteerDialog>
      )}
    </section>
  );
}
