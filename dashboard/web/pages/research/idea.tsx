import type { Research } from '../../../api/research.ts';
import { Panel } from '../../parts/panel.tsx';
import { UntrustedText } from '../../parts/untrusted-text.tsx';
import { TrialLink } from '../../parts/trial-link.tsx';

const KINDS = { '+': 'added', '-': 'removed', '@': 'hunk' } as const;

/** A unified diff with coloured lines. Their markers distinguish them without colours. */
function Unified({ diff, label }: { diff: string; label: string }) {
  const lines = linesOf(diff);
  return (
    <div className="unified" tabIndex={0} role="region" aria-label={label}>
      <pre>
        {lines.map(({ text, kind }, index) => (
          <span key={index} data-kind={kind}>
            <UntrustedText text={text === '' ? ' ' : text} max={2000} />
          </span>
        ))}
      </pre>
    </div>
  );
}

/** Lines of the diff with their kinds. The two lines that name a file are merged into one. */
function linesOf(diff: string): { text: string; kind: string }[] {
  const lines = diff.replace(/\n$/, '').split('\n');
  return lines.flatMap((line, index) => {
    if (line.startsWith('--- ') && lines[index + 1]?.startsWith('+++ ')) return [];
    if (line.startsWith('+++ ') && lines[index - 1]?.startsWith('--- '))
      return [{ text: fileOf(line, lines[index - 1] ?? ''), kind: 'file' }];
    return [{ text: line, kind: KINDS[line[0] as keyof typeof KINDS] ?? 'same' }];
  });
}

/** Label of a file, from the `+++` and the `---` line of the diff. */
function fileOf(after: string, before: string): string {
  const [now, then] = [after.slice(4), before.slice(4)].map((name) => name.replace(/^[ab]\//, '').replace(/\t.*$/, ''));
  if (now === '/dev/null') return `${then}, removed`;
  return then === '/dev/null' ? `${now}, new` : `${now}`;
}

/** Panel with the newest idea and its diff. */
export function LatestIdea({ research: { status, idea } }: { research: Research }) {
  return (
    <Panel
      title="Latest idea"
      className="idea"
      end={idea === null ? undefined : <TrialLink research={status.workflowId} n={idea.n} />}
    >
      {idea === null ? (
        <p className="quiet small">No proposal yet: the unmodified version is measured first.</p>
      ) : (
        <>
          {idea.hypothesis === null ? null : (
            <p>
              <UntrustedText text={idea.hypothesis} max={500} />
            </p>
          )}
          <Unified diff={idea.diff} label={`diff of #${idea.n}`} />
          {idea.cut ? <p className="quiet small">The rest is on the trial's page.</p> : null}
        </>
      )}
    </Panel>
  );
}
