import { useSite } from "../site.ts";
import { Notice } from "../ui/notice.tsx";

/** A paid subscription that is not over and gives no access: its last payment has not come through. */
export function SubscriptionOnHold() {
  const { supportEmail } = useSite();
  return (
    <Notice tone="bad">
      <p className="font-semibold">Your subscription is on hold.</p>
      <p>
        Its last payment did not go through. It is tried again by itself over the next days, and your plan is
        back as soon as one does. To pay in another way or to end it, write to{" "}
        <a href={`mailto:${supportEmail}`}>{supportEmail}</a>.
      </p>
    </Notice>
  );
}
