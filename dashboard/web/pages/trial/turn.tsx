import type { Call } from '../../../api/trials/trial.ts';
import { formatCount, formatSeconds, formatUsd } from '../../../../domain/text/format.ts';
import { plural } from '../../../../domain/text/plural.ts';
import { visible } from '../../../../domain/text/visible.ts';
import { Copy } from '../../parts/copy.tsx';
import { UntrustedText } from '../../parts/untrusted-text.tsx';

/** One turn: what was sent, what came back, the tools that the model called in it. */
export function Turn({ call, unfolded }: { call: Call; unfolded: boolean }) {
  const { turn, model, before, messages, answer, tools, error } = call;
  return (
    <details className="turn" open={unfolded}>
      <summary>
        <span className="turn-no">Turn {turn + 1}</span>
        <UntrustedText text={model} line max={100} />
        <span className="quiet small">{factsOf(call)}</span>
        {error === null ? null : <span className="bad small">failed</span>}
      </summary>
      {error === null ? null : (
        <p className="bad">
          <UntrustedText text={error} max={2000} />
        </p>
      )}
      {before === 0 ? null : (
        <p className="quiet small">{plural(before, 'message')} of the turn before stand at the beginning.</p>
      )}
      {messages.map(({ role, text }, index) => (
        <Said key={index} who={role} text={text} what={`the message of ${visible(role)}`} />
      ))}
      {answer === null ? null : <Said who="answer" text={answer} what="the answer" unfolded />}
      {tools.map(({ name, input, output }, index) => (
        <div key={index} className="tool">
          <Said who={`tool ${name}`} text={input} what={`the input of ${visible(name)}`} />
          {output === null ? (
            <p className="quiet small">It gave nothing back.</p>
          ) : (
            <Said who={`output of ${name}`} text={output} what={`the output of ${visible(name)}`} />
          )}
        </div>
      ))}
    </details>
  );
}

interface SaidProps {
  who: string;
  text: string;
  what: string;
  unfolded?: boolean;
}

/** Characters that are shown of one text; the copy has all. */
const SHOWN = 20_000;

function Said({ who, text, what, unfolded = false }: SaidProps) {
  return (
    <details className="said" open={unfolded}>
      <summary>
        <span className="role">
          <UntrustedText text={who} line max={100} />
        </span>
        <span className="first-words quiet">
          <UntrustedText text={text.slice(0, 400)} line max={160} />
        </span>
        <span className="quiet small">{plural(text.length, 'character')}</span>
      </summary>
      <div className="said-text">
        <Copy text={text} what={what} />
        <pre tabIndex={0}>
          <UntrustedText text={text} max={SHOWN} />
        </pre>
      </div>
    </details>
  );
}

const factsOf = ({ tokensIn, tokensOut, usd, seconds, repeated, tools }: Call): string =>
  [
    tokensIn === null ? null : `${formatCount(tokensIn)} tokens in`,
    tokensOut === null ? null : `${formatCount(tokensOut)} out`,
    usd === null ? null : formatUsd(usd),
    seconds === null ? null : formatSeconds(seconds),
    tools.length > 0 ? plural(tools.length, 'tool call') : null,
    repeated > 0 ? `asked again ${plural(repeated, 'time')}` : null,
  ]
    .filter(Boolean)
    .join(' · ');
