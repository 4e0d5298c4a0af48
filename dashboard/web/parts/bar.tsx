interface Props {
  /** 0 to 1; what is beyond is drawn full. Null: not known. */
  share: number | null;
  /** What it is a share of, in words. */
  label: string;
  /** Where it will stand: a line across the bar; its words are told beside it. */
  mark?: number | null;
}

/** A share as a bar. */
export function Bar({ share, label, mark = null }: Props) {
  const shown = share === null ? 0 : Math.min(1, Math.max(0, share));
  return (
    <span
      className="bar"
      role="meter"
      aria-label={label}
      aria-valuemin={0}
      aria-valuemax={100}
      aria-valuenow={Math.round(shown * 100)}
      aria-valuetext={share === null ? 'not known' : `${Math.round(share * 100)} %`}
      data-full={share !== null && share >= 1}
    >
      <span style={{ width: `${shown * 100}%` }} />
      {mark === null ? null : <i style={{ left: `calc(${Math.min(1, mark) * 100}% - 2px)` }} />}
    </span>
  );
}
