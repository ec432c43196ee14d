/**
 * Where the buttons of Google and Facebook stand on the pages below /account.
 *
 * @param intent what going there is for: to connect it with this account, or to confirm who is signed in
 */
export function ProviderSlot(_props: { intent: "connect" | "confirm"; returnTo: string }) {
  return null;
}
