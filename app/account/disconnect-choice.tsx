/** Whether resetting the password also disconnects the providers. */
export function DisconnectChoice(props: { name: string; connected: string[]; isChosen: boolean }) {
  const { name, connected, isChosen } = props;
  if (connected.length === 0) return null;
  return (
    <label className="flex gap-3 items-start min-h-11">
      <input type="checkbox" name={name} value="true" defaultChecked={isChosen} className="tick" />
      <span>
        Disconnect {connected.join(" and ")}. Leave this ticked unless you connected{" "}
        {connected.length > 1 ? "them" : "it"} yourself. The person who did could still sign in.
      </span>
    </label>
  );
}
