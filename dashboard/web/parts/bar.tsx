interface Props {
  /** 0 to 1; a larger share is drawn full. Null: unknown. */
  share: number | null;
  /** Accessible name of the bar. */
  label: string;
  /** Expected share, as a line across the bar. The caller explains it beside the bar. */
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
