import type { Steered } from '../../api/steer/steering.ts';
import { UntrustedText } from '../parts/untrusted-text.tsx';

/** State of the last message of a group of buttons; null: none was sent. */
export type Sent = { sending: string } | { done: Steered } | { error: string } | null;

/**
 * Change that the last message made, or the reason why it made none. The element exists before the first message, so
 * that screen readers announce it.
 */
export function Outcome({ sent }: { sent: Sent }) {
  return (
    <div className="steer-outcome small" role="status">
      {sent !== null && 'sending' in sent ? <p className="quiet">{sent.sending}: waiting for the answer</p> : null}
      {sent !== null && 'error' in sent ? (
        <p className="steer-error">
          <UntrustedText text={sent.error} max={2000} />
        </p>
      ) : null}
      {sent !== null && 'done' in sent ? (
        <ul>
          {sent.done.lines.map((line) => (
            <li key={line}>
              <UntrustedText text={line} max={2000} />
            </li>
          ))}
          {sent.done.notes.map((note) => (
            <li key={note} className="quiet">
              Note: <UntrustedText text={note} max={2000} />
            </li>
          ))}
        </ul>
      ) : null}
    </div>
  );
}
