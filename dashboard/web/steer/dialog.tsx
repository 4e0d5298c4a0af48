import { useEffect, useId, useRef, useState, type ReactNode } from 'react';
import type { Steered, SteerAction } from '../../api/steer/steering.ts';
import { UntrustedText } from '../parts/untrusted-text.tsx';
import { sendMessage } from './send.ts';

interface Props {
  /** The message and the research that it names. */
  title: string;
  /** Effect of the message. */
  effect: ReactNode;
  /** Label of the button that sends it. */
  submit: string;
  action: SteerAction;
  id: string;
  /** Body of the message, from the fields. */
  toBody: (fields: FormData) => object;
  onDone: (done: Steered) => void;
  /** Receives the reason if the message had no effect, and the person has closed the dialog meanwhile. */
  onFailed: (error: string) => void;
  onClose: () => void;
  /** Fields. */
  children?: ReactNode;
}

/** Dialog that sends a message to a research. An error stays in the dialog, with what the person typed. */
export function SteerDialog({ title, effect, submit, action, id, toBody, onDone, onFailed, onClose, children }: Props) {
  const dialog = useRef<HTMLDialogElement>(null);
  const name = useId();
  const [isSending, setSending] = useState(false);
  const [error, setError] = useState<string | null>(null);
  useEffect(() => dialog.current?.showModal(), []);
  const send = async (fields: FormData): Promise<void> => {
    setSending(true);
    setError(null);
    try {
      onDone(await sendMessage(action, id, toBody(fields)));
      dialog.current?.close();
    } catch (reason) {
      const why = reason instanceof Error ? reason.message : String(reason);
      if (dialog.current === null) return onFailed(`${submit}: ${why}`);
      setError(why);
      setSending(false);
    }
  };
  return (
    <dialog ref={dialog} className="steer-dialog" aria-labelledby={name} onClose={onClose}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          if (!isSending) void send(new FormData(event.currentTarget));
        }}
      >
        <h2 id={name}>{title}</h2>
        <div className="small">{effect}</div>
        {children}
        <div role="status" className="small">
          {isSending ? <p className="quiet">Sent: waiting for the answer</p> : null}
          {error === null ? null : (
            <p className="steer-error">
              <UntrustedText text={error} max={2000} />
            </p>
          )}
        </div>
        <div className="steer-buttons end">
          <button type="button" className="button" onClick={() => dialog.current?.close()}>
            Cancel
          </button>
          <button type="submit" className="button primary" disabled={isSending}>
            {submit}
          </button>
        </div>
      </form>
    </dialog>
  );
}

/** A field with its label above it. */
export function Field({ label, hint, children }: { label: string; hint?: string; children: ReactNode }) {
  return (
    <label className="steer-field small">
      <span>
        {label}
        {hint === undefined ? null : <span className="quiet"> {hint}</span>}
      </span>
      {children}
    </label>
  );
}
