/**
 * The script of the account pages. They work without it: it sends their forms without leaving the page, opens the windows of
 * the providers, and does what HTML alone cannot. There is no framework in the browser (decision 0064).
 */
import { showPasskeyForms, watchPasskeyForms } from "../../auth/script/passkeys.ts";
import { openProviderWindows } from "../../auth/script/provider-windows.ts";
import { pollPayment } from "../../billing/script/poll-payment.ts";
import { pressCheckout } from "../../billing/script/press-checkout.ts";
import { lookAtCodes } from "../../promo/script/look-at-code.ts";
import { startTokenSync } from "../../tokens/token-sync.ts";
import { watchFields } from "../../ui/script/field-error.ts";
import { watchButtons } from "../../ui/script/pending.ts";
import { sendForms } from "../../ui/script/send-forms.ts";
import { SWAPPED } from "../../ui/script/swap.ts";
import { showPasswords } from "./show-passwords.ts";

const { tokenSync: url, session: sessionId } =
  document.querySelector<HTMLElement>("[data-token-sync]")?.dataset ?? {};
if (url && sessionId) startTokenSync({ url, sessionId });

// In this order: the one that takes a form on prevents what those after it would do.
watchPasskeyForms();
openProviderWindows();
pressCheckout();
sendForms();
watchButtons();
watchFields();
lookAtCodes();
pollPayment();

prepare();
document.addEventListener(SWAPPED, prepare);
document.documentElement.dataset.hasScript = "";

/** What parts of a page need as soon as they are there. */
function prepare(): void {
  showPasswords();
  showPasskeyForms();
  const { timeZone } = Intl.DateTimeFormat().resolvedOptions();
  for (const field of document.querySelectorAll<HTMLInputElement>("[data-time-zone]")) field.value = timeZone;
}
