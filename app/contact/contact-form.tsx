import { ErrorSummary } from "../ui/error-summary.tsx";
import { ChoiceField, Field, TextField } from "../ui/field.tsx";
import { type FormAnswer, useRouteForm } from "../ui/route-form.ts";
import { SupportLink } from "../ui/support-link.tsx";
import type { contactForm } from "./store.server.ts";
import { TOPICS, type Topic } from "./topics.ts";

/** @param props.openedAt signed, see fill-time.server.ts */
export function ContactForm(props: {
  topic?: Topic;
  openedAt: string;
  isTrapped: boolean;
  result?: FormAnswer;
}) {
  const { form, fields, formProps } = useRouteForm<typeof contactForm>(props.result, {
    id: "contact",
    defaultValue: { topic: props.topic },
  });
  return (
    <form {...formProps} action="/contact" className="grid gap-5">
      {!form.valid && (
        <ErrorSummary title="Your message has not been sent yet" form={form}>
          {props.isTrapped && (
            <p>
              Press Send again, or email <SupportLink />.
            </p>
          )}
        </ErrorSummary>
      )}
      <Field field={fields.name} label="Name" input={{ autoComplete: "name" }} />
      <Field
        field={fields.email}
        label="Email address"
        hint="We’ll reply to this address"
        input={{ type: "email", autoComplete: "email", autoCapitalize: "none", spellCheck: false }}
      />
      <ChoiceField none="Choose one" field={fields.topic} label="What’s this about?" choices={TOPICS} />
      <TextField field={fields.message} label="Message" hint="Up to 4,000 characters" rows={8} />
      <Trap />
      <input type="hidden" autoComplete="off" name="opened_at" value={props.openedAt} />
      <div>
        <button type="submit" className="button">
          Send
        </button>
      </div>
      <p className="text-quiet">
        We store your message so that we can answer it. <a href="/privacy#messages">How long we keep it</a>
      </p>
    </form>
  );
}

/** A field only robots fill in. It is always sent back empty, in case a person's browser did it. */
function Trap() {
  return (
    <div className="sr-only" aria-hidden="true">
      <label>
        Leave this empty
        <input type="text" name="extra" autoComplete="off" tabIndex={-1} />
      </label>
    </div>
  );
}
