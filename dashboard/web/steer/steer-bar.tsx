import { useState } from 'react';
import type { Research } from '../../api/research.ts';
import type { SteerAction } from '../../api/steer/steering.ts';
import { DIALOGS, type DialogLabel } from './dialogs.tsx';
import { Outcome, type Sent } from './outcome.tsx';
import { sendMessage, useSteering } from './send.ts';

/** Buttons that send their message at once, by the phase of the research. */
const AT_ONCE: { label: string; action: SteerAction; phases: readonly string[] }[] = [
  { label: 'Pause', action: 'pause', phases: ['starting', 'running', 'waiting'] },
  { label: 'Resume', action: 'resume', phases: ['paused', 'waiting'] },
  { label: 'Start again', action: 'start', phases: ['stopped', 'failed'] },
];
const ENDED = ['stopped', 'failed'];

/** Buttons that steer a research; nothing if this page may not steer. */
export function SteerBar({ research }: { research: Research }) {
  const isOn = useSteering();
  const [sent, setSent] = useState<Sent>(null);
  const [open, setOpen] = useState<DialogLabel | null>(null);
  if (!isOn) return null;
  const { workflowId: id, phase } = research.status;
  const isSending = sent !== null && 'sending' in sent;
  const send = async (label: string, action: SteerAction): Promise<void> => {
    setSent({ sending: label });
    try {
      setSent({ done: await sendMessage(action, id, {}) });
    } catch (reason) {
      setSent({ error: `${label}: ${reason instanceof Error ? reason.message : String(reason)}` });
    }
  };
  const Dialog = open === null ? null : DIALOGS[open];
  const labels = ENDED.includes(phase) ? [] : (Object.keys(DIALOGS) as DialogLabel[]);
  return (
    <section className="steer-bar" aria-label={`Steer ${id}`}>
      <div className="steer-buttons">
        {AT_ONCE.filter(({ phases }) => phases.includes(phase)).map(({ label, action }) => (
          <button
            key={label}
            type="button"
            className="button"
            disabled={isSending}
            onClick={() => void send(label, action)}
          >
            {label}
          </button>
        ))}
        {labels.map((label) => (
          <button key={label} type="button" className="button" onClick={() => setOpen(label)}>
            {label}
          </button>
        ))}
      </div>
      <Outcome sent={sent} />
      {Dialog === null ? null : (
        <Dialog
          research={research}
          onDone={(done) => setSent({ done })}
          onFailed={(error) => setSent({ error })}
          onClose={() => setOpen(null)}
        />
      )}
    </section>
  );
}
