import type { Ablation } from '../../../api/research/explanation.ts';
import { gainText, meanText, openRuns } from '../../../../view/explanation/ablation-texts.ts';
import { plural } from '../../../../domain/text/plural.ts';
import { Command } from '../../parts/command.tsx';
import { Panel } from '../../parts/panel.tsx';
import { UntrustedText } from '../../parts/untrusted-text.tsx';

/** Panel of the ablations: each claim that was run without each of its edits. */
export function Ablations({ id, ablations }: { id: string; ablations: readonly Ablation[] }) {
  return (
    <Panel title="Edits of the claims" note="the claim without each of its edits, with 95 % intervals">
      <div className="stack">
        {ablations.map((ablation) => (
          <ClaimTable key={ablation.claim} ablation={ablation} />
        ))}
        {ablations.length === 0 ? <p className="quiet small">No claim was run without its edits yet.</p> : null}
        <Command label="Measure the edits of the last claim" command={`npx perpetua explain ${id} --ablate`} />
      </div>
    </Panel>
  );
}

function ClaimTable({ ablation }: { ablation: Ablation }) {
  const { claim, ofTrial, edits } = ablation;
  const open = openRuns(ablation);
  const title = `Claim ${claim}${ofTrial === null ? '' : ` of trial ${ofTrial}`}`;
  return (
    <div>
      <div className="scroll-x" tabIndex={0} role="region" aria-label={`Table of the edits of claim ${claim}`}>
        <table className="table">
          <caption className="table-title">{title}</caption>
          <thead>
            <tr>
              <th scope="col">Edit</th>
              <th scope="col" className="number">
                With (runs)
              </th>
              <th scope="col" className="number">
                Without (runs)
              </th>
              <th scope="col">Gain of the edit</th>
            </tr>
          </thead>
          <tbody>
            {edits.map((edit) => (
              <tr key={edit.edit}>
                <td>
                  <UntrustedText text={edit.edit} line />
                  {edit.isOriginal ? <span className="quiet"> (without it: the unmodified version)</span> : null}
                </td>
                <td className="number">{meanText(edit.with, edit.runsWith)}</td>
                <td className="number">{meanText(edit.without, edit.runsWithout)}</td>
                <td>{gainText(edit)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {open > 0 ? <p className="quiet small">{plural(open, 'run')} still to come</p> : null}
    </div>
  );
}
