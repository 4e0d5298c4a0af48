import type { Diff } from '../../../api/diff.ts';
import { ofTrial, withQuery } from '../../data/fetch-json.ts';
import { useResource } from '../../data/use-resource.ts';
import { Empty } from '../../parts/empty.tsx';
import { ForeignText } from '../../parts/text.tsx';

/** What a candidate differs in from the unmodified version. */
export function StepDiff({ trialId }: { trialId: string }) {
  const { data, error } = useResource<Diff>(withQuery(ofTrial(trialId, 'diff'), { against: 'baseline' }), NEVER);
  if (!data) return <Empty>{error ? error.message : 'Reading the changes'}</Empty>;
  if (data.nothing !== null) return <p className="quiet">{data.nothing}</p>;
  return (
    <div className="stack">
      {data.files.map(({ path, kind, added, removed, hunks }) => (
        <div key={path}>
          <p className="small">
            <ForeignText text={path} line /> <span className="quiet">{`${kind} +${added} −${removed}`}</span>
          </p>
          <pre className="step-diff" tabIndex={0}>
            {hunks.map(({ lines }, index) => (
              <code key={index}>
                {lines.map((line, row) => (
                  <span key={row} data-mark={line[0]}>
                    <ForeignText text={line} max={2000} />
                    {'\n'}
                  </span>
                ))}
              </code>
            ))}
          </pre>
        </div>
      ))}
    </div>
  );
}

/** The files of a candidate never change. */
const NEVER = { research: '' };
