/** The reason of a change, which the log keeps. @param label which asks for it without the person's name */
export function ReasonField({ id, label }: { id: string; label: string }) {
  return (
    <>
      <label htmlFor={id} className="font-semibold">
        {label}
      </label>
      <input id={id} name="reason" className="field-input" required maxLength={500} autoComplete="off" />
    </>
  );
}
