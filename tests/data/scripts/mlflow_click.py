import click

from skeleton import got


@click.command(help="Trains a model on wine-quality dataset.")
@click.option("--epochs", type=click.INT, default=100,
              help="Maximum number of epochs to evaluate.")
@click.option("--batch-size", type=click.INT, default=16,
              help="Batch size passed to the learning algo.")
@click.option("--learning-rate", type=click.FLOAT, default=1e-2, help="Learning rate.")
@click.option("--momentum", type=click.FLOAT, default=0.9, help="SGD momentum.")
@click.option("--seed", type=click.INT, default=97531, help="Seed for the random generator.")
@click.argument("training_data", required=False)
def run(training_data, epochs, batch_size, learning_rate, momentum, seed):
    got(dict(epochs=epochs, batch_size=batch_size, learning_rate=learning_rate,
             momentum=momentum, seed=seed))
    for epoch in range(epochs):
        print(f"epoch {epoch} val_loss: {1 / (epoch + 1):.4f}")


if __name__ == "__main__":
    run()
